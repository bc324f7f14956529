import { catalogRpc } from '@almanac/contracts';
import { z } from 'zod';
import { forwarding, type Route } from './route.js';

const { search, listSeries, seriesDetail, eventDetail, listMarkets } = catalogRpc;

/** The catalogue. Fields stand in the specification's order, in which their faults are told; added ones come last. */
export const catalogRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/search',
    given: {
      query: search.input.pick({
        q: true,
        category: true,
        status: true,
        from_ts: true,
        to_ts: true,
        offset: true,
        limit: true,
      }),
    },
    contract: search,
    input: ({ query }) => query,
  }),
  forwarding({
    method: 'get',
    path: '/categories',
    given: {},
    contract: catalogRpc.categories,
    input: () => ({}),
  }),
  forwarding({
    method: 'get',
    path: '/series',
    given: {
      query: listSeries.input.pick({
        category: true,
        q: true,
        status: true,
        from_ts: true,
        to_ts: true,
        offset: true,
        limit: true,
      }),
    },
    contract: listSeries,
    input: ({ query }) => query,
  }),
  forwarding({
    method: 'get',
    path: '/series/:series_id',
    given: {
      path: z.object({ series_id: z.string() }),
      query: seriesDetail.input.pick({
        status: true,
        q: true,
        from_ts: true,
        to_ts: true,
        offset: true,
        event_offset: true,
        limit: true,
      }),
    },
    absence: 'series_not_found',
    contract: seriesDetail,
    input: ({ path, query }) => ({ ...path, ...query }),
  }),
  forwarding({
    method: 'get',
    path: '/events/:event_id',
    given: {
      path: z.object({ event_id: z.string() }),
      query: eventDetail.input.pick({ limit: true, cursor: true }),
    },
    absence: 'event_not_found',
    contract: eventDetail,
    input: ({ path, query }) => ({ ...path, ...query }),
  }),
  forwarding({
    method: 'get',
    path: '/markets',
    given: {
      query: listMarkets.input.pick({
        series: true,
        status: true,
        event: true,
        q: true,
        category: true,
        limit: true,
        days: true,
        from_ts: true,
        to_ts: true,
        cursor: true,
      }),
    },
    contract: listMarkets,
    input: ({ query }) => query,
  }),
  forwarding({
    method: 'get',
    path: '/markets/:ticker',
    given: { path: z.object({ ticker: z.string() }) },
    absence: 'market_not_found',
    contract: catalogRpc.marketDetail,
    input: ({ path }) => path,
    kept: ({ path }) => ({ ticker: path.ticker, byAccount: false }),
  }),
];
