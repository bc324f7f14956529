import type { ReactNode } from 'react';
import { useAsOf } from '../api/as-of.js';
import { Empty } from './empty.js';

interface NoRowsProps {
  /** What the rows would be: `market`. */
  readonly what: string;
  /** Whether the person has narrowed the list. */
  readonly isFiltered: boolean;
}

/** A list without rows, with the reason: the filters, the time that is shown, or an archive without recordings. */
export const NoRows = ({ what, isFiltered }: NoRowsProps): ReactNode => {
  const asOf = useAsOf();
  if (isFiltered) return <Empty title={`No ${what} matches`}>Remove a filter, or use other words.</Empty>;
  if (asOf !== undefined)
    return <Empty title={`No ${what} was known at this time`}>Choose a later time with “As of” above.</Empty>;
  return (
    <Empty title={`No ${what} is in the archive yet`}>
      Whoever runs this server fills it with <code>npm run import</code>.
    </Empty>
  );
};
