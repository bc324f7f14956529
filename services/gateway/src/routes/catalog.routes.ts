import { catalogRpc } from '@almanac/contracts';
import { forwarding, type Route } from './route.js';

const { search, listSeries, seriesDetail, eventDetail, listMarkets, marketDetail } = catalogRpc;

export const catalogRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/search',
    doc: {
      operationId: 'search',
      tag: 'Catalogue',
      summary: 'Search series, events and markets',
      description:
        'Exact ids come first, then ids that start with the search words, then items whose title, label or category contains the words in any order and case. Hits that match equally well are sorted by status, live first, then by latest close. If `q` is empty, the answer has everything that matches the filters.',
    },
    given: {
      query: search.input,
    },
    contract: catalogRpc.search,
    input: ({ query }) => query,
  }),
  forwarding({
    method: 'get',
    path: '/categories',
    doc: {
      operationId: 'listCategories',
      tag: 'Catalogue',
      summary: 'List categories',
      description: 'Returns all categories with their numbers of series, events and markets.',
    },
    given: { query: catalogRpc.categories.input },
    contract: catalogRpc.categories,
    input: ({ query }) => query,
  }),
  forwarding({
    method: 'get',
    path: '/series',
    doc: {
      operationId: 'listSeries',
      tag: 'Catalogue',
      summary: 'List series',
      description:
        'Returns live series first, then the others by newest close. The time filters match a series if at least one of its markets closes between `from_ts` and `to_ts`.',
    },
    given: {
      query: listSeries.input,
    },
    contract: catalogRpc.listSeries,
    input: ({ query }) => query,
  }),
  forwarding({
    method: 'get',
    path: '/series/:series_id',
    doc: {
      operationId: 'getSeries',
      tag: 'Catalogue',
      summary: 'Get a series',
      description:
        'Returns the series with its newest markets. If the series is not rolling, the answer also has its events. `limit` applies to each list.',
    },
    given: {
      path: seriesDetail.input.pick({ series_id: true }),
      query: seriesDetail.input.omit({ series_id: true }),
    },
    contract: catalogRpc.seriesDetail,
    input: ({ path, query }) => ({ ...path, ...query }),
  }),
  forwarding({
    method: 'get',
    path: '/events/:event_id',
    doc: {
      operationId: 'getEvent',
      tag: 'Catalogue',
      summary: 'Get an event',
      description: 'Returns the event with its markets, and a strike ladder if the markets have strikes.',
    },
    given: {
      path: eventDetail.input.pick({ event_id: true }),
      query: eventDetail.input.omit({ event_id: true }),
    },
    contract: catalogRpc.eventDetail,
    input: ({ path, query }) => ({ ...path, ...query }),
  }),
  forwarding({
    method: 'get',
    path: '/markets',
    doc: {
      operationId: 'listMarkets',
      tag: 'Catalogue',
      summary: 'List markets',
      description:
        'Returns markets by close time, newest first. Without `from_ts`, `to_ts`, `event` and `q`, the answer has only live markets and the markets of the last `days` days of matching data. With `changed_since_ts`, it has what changed in the archive, the earliest change first.\n\nWith `has_gaps` or `covered_min`, at most about 10,000 markets are compared for one page. If it is not full then, the notice `page_not_full` says so, and `next_cursor` goes on. The notice `completeness_unknown` counts markets of which no recording states its completeness.',
    },
    given: {
      query: listMarkets.input,
    },
    contract: catalogRpc.listMarkets,
    input: ({ query }) => query,
  }),
  forwarding({
    method: 'get',
    path: '/markets/:ticker',
    doc: {
      operationId: 'getMarket',
      tag: 'Catalogue',
      summary: 'Get a market',
      description:
        'Returns the market with its settlement, its rules, price steps and fee, and what became known when.',
    },
    given: { path: marketDetail.input.pick({ ticker: true }), query: marketDetail.input.omit({ ticker: true }) },
    contract: catalogRpc.marketDetail,
    cacheable: ({ path }) => ({ ticker: path.ticker, byAccount: false, feed: 'catalogue' }),
    input: ({ path, query }) => ({ ...path, ...query }),
  }),
];
