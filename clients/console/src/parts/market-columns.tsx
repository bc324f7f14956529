import type { Market } from '@almanac/client';
import { LastPrice } from './last-price.js';
import type { LastPrice as Known } from './last-prices.js';
import { MarketLink } from './market-link.js';
import { Status } from './status.js';
import type { Column } from './virtual-table.js';

export const titleColumn: Column<Market> = {
  name: 'title',
  title: 'Market',
  cell: ({ ticker, title }) => <MarketLink ticker={ticker} title={title} />,
};

export const statusColumn: Column<Market> = {
  name: 'status',
  title: 'Status',
  cell: ({ status, result }) => <Status status={status} result={result} />,
};

/** The last known bid and ask of each market. */
export const priceColumns = (prices: ReadonlyMap<string, Known>): readonly Column<Market>[] => [
  {
    name: 'bid',
    title: 'Bid',
    isNumber: true,
    cell: ({ ticker }) => <LastPrice known={prices.get(ticker)} side="bid" />,
  },
  {
    name: 'ask',
    title: 'Ask',
    isNumber: true,
    cell: ({ ticker }) => <LastPrice known={prices.get(ticker)} side="ask" />,
  },
];
