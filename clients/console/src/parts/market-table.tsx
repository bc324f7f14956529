import type { Market } from '@almanac/client';
import { type ReactNode, useMemo } from 'react';
import { shortTime } from '../format/time.js';
import { zoneName } from '../format/zone.js';
import { Failure } from '../states/failure.js';
import { Loading } from '../states/loading.js';
import { NoRows } from '../states/no-rows.js';
import type { LastPrice as Known } from './last-prices.js';
import { useLastPrices } from './last-prices.js';
import { priceColumns, statusColumn, titleColumn } from './market-columns.js';
import { Capture } from './status.js';
import type { PagedRows } from '../api/use-pages.js';
import { type Column, VirtualTable } from './virtual-table.js';

interface MarketTableProps {
  readonly label: string;
  readonly list: PagedRows<Market>;
  readonly asOf: number | undefined;
  readonly isFiltered: boolean;
}

/** Markets with status, coverage and last price. */
export const MarketTable = ({ label, list, asOf, isFiltered }: MarketTableProps): ReactNode => {
  const prices = useLastPrices(list.pages, asOf);
  const columns = useMemo(() => columnsOf(prices), [prices]);
  if (list.rows === undefined) {
    return list.error === null ? <Loading what={label} /> : <Failure error={list.error} onRetry={list.refetch} />;
  }
  if (list.rows.length === 0) return <NoRows what="market" isFiltered={isFiltered} />;
  return (
    <VirtualTable
      label={label}
      kind="markets"
      rows={list.rows}
      columns={columns}
      keyOf={({ ticker }) => ticker}
      hasMore={list.hasMore}
      error={list.error}
      loadMore={list.loadMore}
    />
  );
};

const columnsOf = (prices: ReadonlyMap<string, Known>): Column<Market>[] => [
  titleColumn,
  statusColumn,
  { name: 'capture', title: 'Recorded', cell: Capture },
  ...priceColumns(prices),
  {
    name: 'close',
    title: `Close (${zoneName(0)})`,
    isNumber: true,
    cell: ({ close_ts }) => (close_ts === null ? '–' : shortTime(close_ts)),
  },
];
