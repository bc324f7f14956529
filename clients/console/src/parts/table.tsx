import type { ReactNode } from 'react';

interface TableProps {
  /** Names the table for screen readers. */
  readonly label: string;
  /** Titles of the columns. `#` before one aligns it to the end, as numbers are; an empty one is for buttons. */
  readonly columns: readonly string[];
  readonly isCard?: boolean;
  readonly children: ReactNode;
}

/** A table that scrolls sideways on a small screen, also by keyboard. Children are rows. */
export const Table = ({ label, columns, isCard = true, children }: TableProps): ReactNode => (
  // A region that scrolls must take the focus, so that the keyboard can scroll it.
  // oxlint-disable-next-line jsx-a11y/no-noninteractive-tabindex
  <div className={isCard ? 'card scroll-x' : 'scroll-x'} role="region" aria-label={label} tabIndex={0}>
    <table>
      <thead>
        <tr>
          {columns.map((title) => (
            <th key={title} scope="col" className={title.startsWith('#') ? 'number' : undefined}>
              {title === '' ? <span className="visually-hidden">Actions</span> : title.replace('#', '')}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  </div>
);
