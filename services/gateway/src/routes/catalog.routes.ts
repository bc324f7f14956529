import { catalogRpc } from '@almanac/contracts';
import { forwarding, type Route } from './route.js';

const { search, listSeries, seriesDetail, eventDetail, listMarkets, marketDetail } = catalogRpc;

/** The catalogue. Fields stand in the specification's order, in which their faults are told; added ones come last. */
export const catalogRoutes: readonly Route[] = [
  forwarding({
    method: 'get',
    path: '/search',
    doc: {
      operationId: 'search',
      tag: 'Catalogue',
      summary: 'Search series, events and markets',
      description:
        'An exact id comes first, then what begins with the words, then what holds them in its title, label or category, in any order and case; among equals live ones, then later closes. An empty `q` browses by the filters.',
    },
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
    doc: {
      operationId: 'listCategories',
      tag: 'Catalogue',
      summary: 'List the categories',
      description: 'Every category with how many series, events and markets it holds.',
    },
    given: {},
    contract: catalogRpc.categories,
    input: () => ({}),
  }),
  forwarding({
    method: 'get',
    path: '/series',
    doc: {
      operationId: 'listSeries',
      tag: 'Catalogue',
      summary: 'List series',
      description:
        'Live ones first, then by newest close. The time filters keep a series when at least one of its markets closes in them.',
    },
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
    doc: {
      operationId: 'getSeries',
      tag: 'Catalogue',
      summary: 'Show a series',
      description:
        'The series with its newest markets and, where it is not rolling, its events. `limit` is for each of the two lists.',
    },
    given: {
      path: seriesDetail.input.pick({ series_id: true }),
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
    contract: seriesDetail,
    input: ({ path, query }) => ({ ...path, ...query }),
  }),
  forwarding({
    method: 'get',
    path: '/events/:event_id',
    doc: {
      operationId: 'getEvent',
      tag: 'Catalogue',
      summary: 'Show an event',
      description: 'The event with all of its markets, and their strike ladder where they have strikes.',
    },
    given: {
      path: eventDetail.input.pick({ event_id: true }),
      query: eventDetail.input.pick({ limit: true, cursor: true }),
    },
    contract: eventDetail,
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
        'Newest close first. Without `from_ts`, `to_ts`, `event` and `q` only what closed in the last `days` days of the data that matches, and what is live.',
    },
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
    doc: {
      operationId: 'getMarket',
      tag: 'Catalogue',
      summary: 'Show a market',
      description: 'The market with its settlement.',
    },
    given: { path: marketDetail.input.pick({ ticker: true }) },
    contract: marketDetail,
    input: ({ path }) => path,
  }),
];
