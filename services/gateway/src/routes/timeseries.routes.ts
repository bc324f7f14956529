import { timeseriesRpc } from '@almanac/contracts';
import { z } from 'zod';
import { forwarding, type Route } from './route.js';

const ticker = z.object({ ticker: z.string() });

/** What was observed of a market. */
export const timeseriesRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/markets/:ticker/preview',
    given: { path: ticker },
    absence: 'market_not_found',
    contract: timeseriesRpc.preview,
    input: ({ path }) => path,
    kept: ({ path }) => ({ ticker: path.ticker, byAccount: false }),
  }),
  forwarding({
    method: 'get',
    path: '/markets/:ticker/snapshots',
    given: {
      path: ticker,
      query: timeseriesRpc.snapshots.input.pick({
        start_ts: true,
        end_ts: true,
        limit: true,
        step_ms: true,
        include_book: true,
        preview: true,
      }),
    },
    absence: 'market_not_found',
    contract: timeseriesRpc.snapshots,
    input: ({ path, query }) => ({ ...path, ...query }),
    // Books are served for unlocked events, which are an account's own.
    kept: ({ path, query }) => ({ ticker: path.ticker, byAccount: query.include_book }),
  }),
];
