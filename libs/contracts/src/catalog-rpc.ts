import { z } from 'zod';
import { catalogueFact, eventItem, market, seriesItem } from './catalog.js';
import type { ErrorCode } from './errors.js';
import { closeWindow, cursor, cursorPage, limitOf, page } from './paging.js';
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
    ...closeWindow,
  })
  .meta({ id: 'MarketsResponse' });
const textSource = (name: string, parts: string) =>
  z
    .enum(['venue', 'almanac'])
    .nullable()
    .meta({
      description: `\`venue\` if the ${name} is from the venue, \`almanac\` if it was made from ${parts}`,
      examples: ['venue'],
    });
const priceAge = (moment: string) =>
  z
    .number()
    .nullable()
    .meta({
      description: `Age of the observation behind the coin price, at the ${moment}, in seconds. Null if the source states the price, and without a price`,
      examples: [0.942],
    });
export const marketDetailResponse = z
  .object({
    source,
    market,
    title_source: textSource('title', 'series, strike and close'),
    coin_price_start_age_s: priceAge('open'),
    coin_price_end_age_s: priceAge('close'),
  })
  .meta({ id: 'MarketDetailResponse' });
export const seriesDetailResponse = z
  .object({
    source,
    series: seriesItem,
    label_source: textSource('label', 'the id or named by an import'),
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
    title_source: textSource('title', 'series and close'),
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
    hits: z.array(searchHit).meta({ description: 'Hits, best first' }),
  })
  .meta({ id: 'SearchResponse' });

const text = z.string().nullish();
const closeBound = z.number().nullish();
const words = 'Search words, in any order and case';
const status = text.meta({
  description: 'Return only items with this status: `live`, `closed` or `finalized`. Any other value matches nothing',
  examples: ['finalized'],
  'x-extensible-enum': ['live', 'closed', 'finalized'],
});
const categorySlug = text.meta({
  description: 'Return only items in the category with this slug',
  examples: ['crypto'],
});
const q = text.meta({ description: words, examples: ['btc 15 minutes'] });
const closeBounds = {
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

/**
 * The contracts of the catalog service. The gateway validates with the HTTP schemas; these limits apply again. The
 * fields are in the specification's order, which is also the order of their faults. Added fields come last.
 */
export const catalogRpc = {
  search: query(
    'search',
    z.object({
      q: z
        .string()
        .default('')
        .meta({ description: `${words}. If empty, everything that matches the filters`, examples: ['btc 15 minutes'] }),
      category: categorySlug,
      status,
      ...closeBounds,
      offset,
      limit: limitOf(200, 40),
    }),
    searchResponse,
  ),
  categories: query('categories', z.object({}), categoriesResponse),
  listSeries: query(
    'list-series',
    z.object({ category: categorySlug, q, status, ...closeBounds, offset, limit: limitOf(200, 80) }),
    seriesResponse,
  ),
  seriesDetail: query(
    'series-detail',
    z.object({
      series_id: z.string().meta({ description: 'Id of the series', examples: ['KXBTC15M'] }),
      status,
      q,
      ...closeBounds,
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
      series: text.meta({ description: 'Return only markets of the series with this id', examples: ['KXBTC15M'] }),
      status,
      event: text.meta({
        description: 'Return only markets of the event with this ticker',
        examples: ['KXBTC15M-26FEB242330'],
      }),
      q,
      category: categorySlug,
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
      ...closeBounds,
      cursor,
    }),
    marketsResponse,
    ['invalid_cursor'],
  ),
  marketDetail: query('market-detail', z.object({ ticker: market.shape.ticker }), marketDetailResponse, [
    'market_not_found',
  ]),

  /** The existing id that is most similar to an id that does not exist. It delays a 404, so it may take no longer. */
  nearestId: contract({
    ...query(
      'nearest-id',
      z.object({ kind: z.enum(['series', 'event', 'market']), id: z.string() }),
      z.object({ nearest: z.string().nullable() }),
    ),
    timeoutMs: 1_000,
  }),

  /**
   * Resolves the target of an export: exactly one of event, ticker, events, tickers, series with day, or series with
   * from and to (UTC, YYYY-MM-DD).
   */
  exportTarget: query(
    'export-target',
    z.object({
      event: text,
      ticker: text,
      series: text,
      day: text,
      from: text,
      to: text,
      events: z.array(z.string()).nullish(),
      tickers: z.array(z.string()).nullish(),
    }),
    z.object({
      event: z.string().nullable(),
      ticker: z.string().nullable(),
      series: z.string().nullable(),
      day: z.string().nullable(),
      /** The events that must be paid for: one, or several for a day pack. */
      events: z.array(z.string()),
      tickers: z.array(z.string()),
      /** One for each day, each event, or each event of a list of markets. `has_rows` matters for days only. */
      parts: z
        .array(
          z.object({
            day: z.string().nullable(),
            event: z.string().nullable(),
            events: z.array(z.string()),
            tickers: z.array(z.string()),
            has_rows: z.boolean(),
          }),
        )
        .default([]),
    }),
    ['event_not_found', 'market_not_found', 'series_not_found', 'no_data_for_day', 'invalid_input'],
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
