import type { ReactNode } from 'react';

interface ScrollBoxProps {
  /** What scrolls, for screen readers. */
  readonly label: string;
  readonly direction: 'x' | 'y';
  readonly children: ReactNode;
}

/** Wide or long content. It takes the focus, so that the keyboard can scroll it. */
export const ScrollBox = ({ label, direction, children }: ScrollBoxProps): ReactNode => (
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div className={`scroll-${direction}`} tabIndex={0} role="region" aria-label={label}>
    {children}
  </div>
);
