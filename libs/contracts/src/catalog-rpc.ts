import { z } from 'zod';
import { catalogueFact, eventItem, market, seriesItem } from './catalog.js';
import type { ErrorCode } from './errors.js';
import { cursor, cursorPage, limitOf, page } from './paging.js';
import { contract } from './rpc.js';

const total = z.int().min(0);
const offsetPage = {
  ...page,
  next_offset: z
    .int()
    .nullable()
    .meta({
      description:
        '`offset` of the next page. Null on the last page, and when the next offset would exceed 10000. In that case, narrow the time filters',
      examples: [40],
    }),
};
const source = z.enum(['archive', 'cache']).meta({
  description: '`archive` if the answer was read now, `cache` if its figures were computed before',
  examples: ['archive'],
});
const saved_ts = z
  .number()
  .nullable()
  .meta({ description: 'Time when the cached figures were computed, in Unix seconds', examples: [1775319300.25] });
const count = total.meta({ description: 'Number of items in this answer', examples: [1] });
const matching = (entities: string) =>
  total.nullable().meta({ description: `Total number of ${entities} that match the filters`, examples: [1] });
const markets = z.array(market).meta({ description: 'Markets in this answer' });

export const seriesResponse = z
  .object({
    count,
    series: z
      .array(seriesItem)
      .meta({ description: 'Series in this answer: live series first, then by newest close, then by id' }),
    source: source.nullable(),
    saved_ts,
    markets_n: matching('markets'),
    series_n: matching('series'),
    events_n: matching('events'),
    ...offsetPage,
  })
  .meta({ id: 'SeriesResponse' });
export const marketsResponse = z
  .object({
    count,
    source,
    markets: markets.meta({ description: 'Markets in this answer: newest close first, then by ticker' }),
    ...cursorPage,
  })
  .meta({ id: 'MarketsResponse' });
export const marketDetailResponse = z.object({ source, market }).meta({ id: 'MarketDetailResponse' });
export const seriesDetailResponse = z
  .object({
    source,
    series: seriesItem,
    count: total.meta({ description: 'Number of markets in this answer', examples: [1] }),
    markets: markets.meta({ description: 'Markets in this answer: newest close first, then by ticker' }),
    ...offsetPage,
    events: z
      .array(eventItem)
      .meta({ description: 'Events of the series. Absent if the series is rolling' })
      .optional(),
    events_has_more: z.boolean().meta({ description: 'Whether the series has more events' }).optional(),
    next_event_offset: z
      .int()
      .nullable()
      .meta({ description: '`event_offset` of the next page of events. Null on the last page', examples: [80] })
      .optional(),
  })
  .meta({ id: 'SeriesDetailResponse' });
export const eventDetailResponse = z
  .object({
    source,
    event: eventItem,
    count: total.meta({ description: 'Number of markets in this answer', examples: [1] }),
    markets: markets.meta({ description: 'Markets by strike if they have strikes, otherwise by close' }),
    strike_ladder: z
      .array(
        market
          .pick({ ticker: true, floor_strike: true, strike_type: true, status: true, result: true })
          .meta({ id: 'StrikeLevel', description: 'One market in a strike ladder.' }),
      )
      .nullable()
      .meta({ description: 'Markets of the event by strike. Null if they have no strikes' }),
    ...cursorPage,
  })
  .meta({ id: 'EventDetailResponse' });
const category = z
  .object({
    id: z.string().meta({ description: 'Slug of the category', examples: ['crypto'] }),
    label: z.string().meta({ description: 'Category name from the venue', examples: ['Crypto'] }),
    series_n: total.meta({ description: 'Number of series', examples: [4] }),
    events_n: total.meta({ description: 'Number of events', examples: [3625] }),
    markets_n: total.meta({ description: 'Number of markets', examples: [3625] }),
    live_n: total.meta({ description: 'Number of live markets', examples: [1] }),
    closed_n: total.meta({ description: 'Number of markets that are not live', examples: [3624] }),
  })
  .meta({ id: 'Category', description: 'A category groups series on one subject.' });
export const categoriesResponse = z
  .object({ count, categories: z.array(category).meta({ description: 'All categories' }), source, saved_ts })
  .meta({ id: 'CategoriesResponse' });
const nullableText = z.string().nullable();
export const searchHit = z
  .object({
    kind: z.enum(['series', 'event', 'market']).meta({ description: 'Kind of the hit', examples: ['market'] }),
    id: z.string().meta({ description: 'Id or ticker of the hit', examples: ['KXBTC15M-26FEB242330-30'] }),
    title: nullableText.meta({ description: 'Title of the hit', examples: ['BTC price up in the next 15 minutes?'] }),
    category: nullableText.meta({ description: 'Slug of the category', examples: ['crypto'] }),
    series: nullableText.meta({ description: 'Id of the series', examples: ['KXBTC15M'] }),
    event_ticker: nullableText.meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
    status: nullableText.meta({ description: 'Status: `live`, `closed` or `finalized`', examples: ['finalized'] }),
    close_ts: z
      .number()
      .nullable()
      .meta({ description: 'Close time, in Unix seconds', examples: [1771993800] }),
    score: z.number().meta({ description: 'Relevance of the hit. Higher is better', examples: [1] }),
  })
  .meta({ id: 'SearchHit', description: 'A series, event or market that matches the search.' });
export const searchResponse = z
  .object({
    q: z.string().meta({ description: 'Search words of the request', examples: ['btc 15 minutes'] }),
    count,
    offset: total.meta({ description: 'Number of skipped hits', examples: [0] }),
    limit: total.meta({ description: 'Maximum number of hits in this answer', examples: [40] }),
    ...offsetPage,
    corrected_query: z
      .string()
      .optional()
      .meta({
        description:
          'The words that were searched instead, if nothing matches `q`: each unknown word is replaced by the word of the nearest spelling. Absent otherwise',
        examples: ['bitcoin price'],
      }),
    hits: z.array(searchHit).meta({ description: 'Hits, best first' }),
  })
  .meta({ id: 'SearchResponse' });

const text = z.string().nullish();
const closeBound = z.number().nullish();
const words = 'Search words, in any order and case';
const filters = {
  status: text.meta({
    description: 'Return only items with this status: `live`, `closed` or `finalized`. Any other value matches nothing',
    examples: ['finalized'],
  }),
  category: text.meta({ description: 'Return only items in the category with this slug', examples: ['crypto'] }),
  q: text.meta({ description: words, examples: ['btc 15 minutes'] }),
  from_ts: closeBound.meta({ description: 'Earliest close time to return, in Unix seconds', examples: [1771977600] }),
  to_ts: closeBound.meta({ description: 'Latest close time to return, in Unix seconds', examples: [1772063999] }),
};
const offset = z
  .int()
  .min(0)
  .max(10_000)
  .default(0)
  .meta({ description: 'Number of items to skip', examples: [0] });
const query = <In extends z.ZodType, Out extends z.ZodType>(
  method: string,
  input: In,
  output: Out,
  errors: readonly ErrorCode[] = [],
) => contract({ service: 'catalog', method, kind: 'query', input, output, errors, timeoutMs: 5_000 });

/** The contracts of the catalog service. The gateway validates with the HTTP schemas; these limits apply again. */
export const catalogRpc = {
  search: query(
    'search',
    z.object({
      ...filters,
      q: z
        .string()
        .default('')
        .meta({ description: `${words}. If empty, everything that matches the filters`, examples: ['btc 15 minutes'] }),
      offset,
      limit: limitOf(200, 40),
    }),
    searchResponse,
  ),
  categories: query('categories', z.object({}), categoriesResponse),
  listSeries: query('list-series', z.object({ ...filters, offset, limit: limitOf(200, 80) }), seriesResponse),
  seriesDetail: query(
    'series-detail',
    z.object({
      series_id: z.string().meta({ description: 'Id of the series', examples: ['KXBTC15M'] }),
      ...filters,
      offset,
      event_offset: offset.meta({ description: 'Number of events to skip', examples: [0] }),
      limit: limitOf(200, 80),
    }),
    seriesDetailResponse,
    ['series_not_found'],
  ),
  eventDetail: query(
    'event-detail',
    z.object({
      event_id: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
      limit: limitOf(400, 200),
      cursor,
    }),
    eventDetailResponse,
    ['event_not_found', 'invalid_cursor'],
  ),
  listMarkets: query(
    'list-markets',
    z.object({
      ...filters,
      series: text.meta({ description: 'Return only markets of the series with this id', examples: ['KXBTC15M'] }),
      event: text.meta({
        description: 'Return only markets of the event with this ticker',
        examples: ['KXBTC15M-26FEB242330'],
      }),
      limit: limitOf(200, 50),
      days: z
        .int()
        .min(1)
        .max(7)
        .default(1)
        .meta({
          description:
            'Number of days to return, counted back from the newest past close of a market that matches the other filters. Live markets are always included. Ignored if `from_ts`, `to_ts`, `event` or `q` is set',
          examples: [1],
        }),
      cursor,
    }),
    marketsResponse,
    ['invalid_cursor'],
  ),
  marketDetail: query('market-detail', z.object({ ticker: market.shape.ticker }), marketDetailResponse, [
    'market_not_found',
  ]),

  /** Resolves the target of an export: exactly one of event, ticker, or series with day (UTC, YYYY-MM-DD). */
  exportTarget: query(
    'export-target',
    z.object({ event: text, ticker: text, series: text, day: text }),
    z.object({
      event: z.string().nullable(),
      ticker: z.string().nullable(),
      series: z.string().nullable(),
      day: z.string().nullable(),
      /** The events that must be paid for: one, or several for a day pack. */
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
      /** Sequence in EVT_CATALOG of the last event that this call appended. 0 if nothing changed. */
      last_seq: z.int(),
    }),
    errors: ['conflict'],
    timeoutMs: 30_000,
  }),

  /** Resolves when queries show everything up to `seq` of EVT_CATALOG. */
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
