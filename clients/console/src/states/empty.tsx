import type { ReactNode } from 'react';

interface EmptyProps {
  readonly title: string;
  /** Why nothing is here, and what to do. */
  readonly children?: ReactNode;
}

export const Empty = ({ title, children }: EmptyProps): ReactNode => (
  <section className="state" data-state="empty">
    <h2>{title}</h2>
    {children === undefined ? null : <p>{children}</p>}
  </section>
);
