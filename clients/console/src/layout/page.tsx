import { type ReactNode, useEffect } from 'react';
import { setPageTitle } from '../parts/page-title.js';

interface PageProps {
  readonly title: string;
  /** In place of the title, if it has more than text. */
  readonly heading?: ReactNode;
  /** Buttons at the right of the title. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The frame of a screen: its title, also in the browser's tab, and its content. */
export const Page = ({ title, heading, actions, children }: PageProps): ReactNode => {
  useEffect(() => {
    setPageTitle(`${title} · Almanac`);
  }, [title]);
  return (
    <article className="page">
      <header className="page-head">
        {heading ?? <h1 dir="auto">{title}</h1>}
        {actions === undefined ? null : <div className="page-actions">{actions}</div>}
      </header>
      {children}
    </article>
  );
};
