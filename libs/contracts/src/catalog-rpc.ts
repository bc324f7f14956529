import { z } from 'zod';
import { catalogueFact, eventItem, market, seriesItem } from './catalog.js';
import type { ErrorCode } from './errors.js';
import { contract } from './rpc.js';

const page = { has_more: z.boolean() };
const offsetPage = { ...page, next_offset: z.int().nullable().describe('null at the end, and beyond 10000') };
const source = z.enum(['archive', 'cache']);

export const seriesResponse = z.object({
  count: z.int(),
  series: z.array(seriesItem),
  source: source.nullable(),
  saved_ts: z.number().nullable(),
  markets_n: z.int().nullable(),
  series_n: z.int().nullable(),
  events_n: z.int().nullable(),
  ...offsetPage,
});
export const marketsResponse = z.object({
  count: z.int(),
  source,
  markets: z.array(market),
  ...page,
  next_cursor: z.string().nullable(),
});
export const marketDetailResponse = z.object({ source, market });
export const seriesDetailResponse = z.object({
  source,
  series: seriesItem,
  count: z.int(),
  markets: z.array(market),
  ...offsetPage,
  events: z.array(eventItem).optional(),
  events_has_more: z.boolean().optional(),
  next_event_offset: z.int().nullable().optional(),
});
export const eventDetailResponse = z.object({
  source,
  event: eventItem,
  count: z.int(),
  markets: z.array(market),
  strike_ladder: z
    .array(market.pick({ ticker: true, floor_strike: true, strike_type: true, status: true, result: true }))
    .nullable(),
  ...page,
  next_cursor: z.string().nullable(),
});
export const categoriesResponse = z.object({
  count: z.int(),
  categories: z.array(
    z.object({
      id: z.string(),
      label: z.string(),
      series_n: z.int(),
      events_n: z.int(),
      markets_n: z.int(),
      live_n: z.int(),
      closed_n: z.int(),
    }),
  ),
  source,
  saved_ts: z.number().nullable(),
});
export const searchHit = z.object({
  kind: z.enum(['series', 'event', 'market']),
  id: z.string(),
  title: z.string().nullable(),
  category: z.string().nullable(),
  series: z.string().nullable(),
  event_ticker: z.string().nullable(),
  status: z.string().nullable(),
  close_ts: z.number().nullable(),
  score: z.number(),
});
export const searchResponse = z.object({
  q: z.string(),
  count: z.int(),
  offset: z.int(),
  limit: z.int(),
  ...offsetPage,
  hits: z.array(searchHit),
});

const text = z.string().nullish();
const filters = { status: text, category: text, q: text, from_ts: z.number().nullish(), to_ts: z.number().nullish() };
const offset = z.int().min(0).max(10_000).default(0);

const query = <In extends z.ZodType, Out extends z.ZodType>(
  method: string,
  input: In,
  output: Out,
  errors: readonly ErrorCode[] = [],
) => contract({ service: 'catalog', method, kind: 'query', input, output, errors, timeoutMs: 5_000 });

/** The calls of the catalog service. Inputs are validated at the edge with the HTTP schemas; these bound them again. */
export const catalogRpc = {
  search: query('search', z.object({ ...filters, offset, limit: z.int().min(1).max(200).default(40) }), searchResponse),
  categories: query('categories', z.object({}), categoriesResponse),
  listSeries: query(
    'list-series',
    z.object({ ...filters, offset, limit: z.int().min(1).max(200).default(80) }),
    seriesResponse,
  ),
  seriesDetail: query(
    'series-detail',
    z.object({
      series_id: z.string(),
      ...filters,
      offset,
      event_offset: offset,
      limit: z.int().min(1).max(200).default(80),
    }),
    seriesDetailResponse,
    ['series_not_found'],
  ),
  eventDetail: query(
    'event-detail',
    z.object({ event_id: z.string(), limit: z.int().min(1).max(400).default(200), cursor: text }),
    eventDetailResponse,
    ['event_not_found', 'invalid_cursor'],
  ),
  listMarkets: query(
    'list-markets',
    z.object({
      ...filters,
      series: text,
      event: text,
      limit: z.int().min(1).max(200).default(50),
      days: z.int().min(1).max(7).default(1),
      cursor: text,
    }),
    marketsResponse,
    ['invalid_cursor'],
  ),
  marketDetail: query('market-detail', z.object({ ticker: z.string() }), marketDetailResponse, ['market_not_found']),

  /** Resolves what an export asks for: exactly one of event, ticker, or series with day (UTC, YYYY-MM-DD). */
  exportTarget: query(
    'export-target',
    z.object({ event: text, ticker: text, series: text, day: text }),
    z.object({
      event: z.string().nullable(),
      ticker: z.string().nullable(),
      series: z.string().nullable(),
      day: z.string().nullable(),
      /** The events that a purchase must cover: one, or each of a day pack's. */
      events: z.array(z.string()),
      tickers: z.array(z.string()),
    }),
    ['event_not_found', 'market_not_found', 'series_not_found', 'no_data_for_day'],
  ),

  /** Records facts from a source, in order. The reply has one outcome for each fact. */
  record: contract({
    service: 'catalog',
    method: 'record',
    kind: 'command',
    input: z.object({ facts: z.array(catalogueFact).min(1).max(500) }),
    output: z.object({
      outcomes: z.array(
        z.discriminatedUnion('outcome', [
          z.object({ outcome: z.enum(['created', 'changed', 'unchanged']) }),
          z.object({ outcome: z.literal('refused'), reason: z.string() }),
        ]),
      ),
      /** Sequence in EVT_CATALOG of the last event that this call appended; 0 when it changed nothing. */
      last_seq: z.int(),
    }),
    errors: ['conflict'],
    timeoutMs: 30_000,
  }),

  /** Answers once everything up to `seq` of EVT_CATALOG can be found by queries. */
  awaitReadable: contract({
    service: 'catalog',
    method: 'await-readable',
    kind: 'query',
    input: z.object({ seq: z.int() }),
    output: z.object({ seq: z.int() }),
    errors: [],
    timeoutMs: 60_000,
  }),
};
