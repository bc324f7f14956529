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
      description: '`offset` of what follows; null at the end, and beyond 10000: narrow by time',
      examples: [40],
    }),
};
const source = z
  .enum(['archive', 'cache'])
  .meta({ description: '`archive`: read for this answer; `cache`: figures kept ready', examples: ['archive'] });
const saved_ts = z
  .number()
  .nullable()
  .meta({ description: 'When figures from the cache were computed, Unix seconds', examples: [1775319300.25] });
const count = total.meta({ description: 'Items in this answer', examples: [1] });
const matching = (things: string) =>
  total.nullable().meta({ description: `${things} that match the filters, in this answer or not`, examples: [1] });
const markets = z.array(market).meta({ description: 'The markets of this answer' });

export const seriesResponse = z
  .object({
    count,
    series: z.array(seriesItem).meta({ description: 'Live ones first, then by newest close, then by id' }),
    source: source.nullable(),
    saved_ts,
    markets_n: matching('Markets'),
    series_n: matching('Series'),
    events_n: matching('Events'),
    ...offsetPage,
  })
  .meta({ id: 'SeriesResponse' });
export const marketsResponse = z
  .object({
    count,
    source,
    markets: markets.meta({ description: 'Newest close first, then by ticker' }),
    ...cursorPage,
  })
  .meta({ id: 'MarketsResponse' });
export const marketDetailResponse = z.object({ source, market }).meta({ id: 'MarketDetailResponse' });
export const seriesDetailResponse = z
  .object({
    source,
    series: seriesItem,
    count: total.meta({ description: 'Markets in this answer', examples: [1] }),
    markets: markets.meta({ description: 'Newest close first, then by ticker' }),
    ...offsetPage,
    events: z.array(eventItem).meta({ description: 'Its events, where it is not rolling' }).optional(),
    events_has_more: z.boolean().meta({ description: 'Whether there are more events' }).optional(),
    next_event_offset: z
      .int()
      .nullable()
      .meta({ description: '`event_offset` of the events that follow; null at the end', examples: [80] })
      .optional(),
  })
  .meta({ id: 'SeriesDetailResponse' });
export const eventDetailResponse = z
  .object({
    source,
    event: eventItem,
    count: total.meta({ description: 'Markets in this answer', examples: [1] }),
    markets: markets.meta({ description: 'By strike where there are strikes, else by close' }),
    strike_ladder: z
      .array(
        market
          .pick({ ticker: true, floor_strike: true, strike_type: true, status: true, result: true })
          .meta({ id: 'StrikeLevel', description: 'One market of a strike ladder.' }),
      )
      .nullable()
      .meta({ description: 'Its markets by strike; null where they have none' }),
    ...cursorPage,
  })
  .meta({ id: 'EventDetailResponse' });
const category = z
  .object({
    id: z.string().meta({ description: 'Slug of the category', examples: ['crypto'] }),
    label: z.string().meta({ description: "The venue's own name of it", examples: ['Crypto'] }),
    series_n: total.meta({ description: 'Its series', examples: [4] }),
    events_n: total.meta({ description: 'Its events', examples: [3625] }),
    markets_n: total.meta({ description: 'Its markets', examples: [3625] }),
    live_n: total.meta({ description: 'Its live markets', examples: [1] }),
    closed_n: total.meta({ description: 'Its markets that are not live', examples: [3624] }),
  })
  .meta({ id: 'Category', description: 'Series of one subject, with their figures.' });
export const categoriesResponse = z
  .object({ count, categories: z.array(category).meta({ description: 'Every category' }), source, saved_ts })
  .meta({ id: 'CategoriesResponse' });
const word = z.string().nullable();
export const searchHit = z
  .object({
    kind: z.enum(['series', 'event', 'market']).meta({ description: 'What was found', examples: ['market'] }),
    id: z.string().meta({ description: 'Its identifier', examples: ['KXBTC15M-26FEB242330-30'] }),
    title: word.meta({ description: 'Its title', examples: ['BTC price up in the next 15 minutes?'] }),
    category: word.meta({ description: 'Slug of its category', examples: ['crypto'] }),
    series: word.meta({ description: 'Identifier of its series', examples: ['KXBTC15M'] }),
    event_ticker: word.meta({ description: 'Identifier of its event', examples: ['KXBTC15M-26FEB242330'] }),
    status: word.meta({ description: '`live`, `closed` or `finalized`', examples: ['finalized'] }),
    close_ts: z
      .number()
      .nullable()
      .meta({ description: 'When it closes, Unix seconds', examples: [1771993800] }),
    score: z.number().meta({ description: 'How well it fits; higher is better, without a unit', examples: [1] }),
  })
  .meta({ id: 'SearchHit', description: 'A series, an event or a market that was found.' });
export const searchResponse = z
  .object({
    q: z.string().meta({ description: 'The words that were searched for', examples: ['btc 15 minutes'] }),
    count,
    offset: total.meta({ description: 'How many hits were skipped', examples: [0] }),
    limit: total.meta({ description: 'The most hits of this answer', examples: [40] }),
    ...offsetPage,
    hits: z.array(searchHit).meta({ description: 'Best first' }),
  })
  .meta({ id: 'SearchResponse' });

const text = z.string().nullish();
const closeBound = z.number().nullish();
const words = 'Words to search for, in any order and case';
const filters = {
  status: text.meta({
    description: 'Only what has this status: `live`, `closed` or `finalized`; another word finds nothing',
    examples: ['finalized'],
  }),
  category: text.meta({ description: 'Only this category, by its slug', examples: ['crypto'] }),
  q: text.meta({ description: words, examples: ['btc 15 minutes'] }),
  from_ts: closeBound.meta({ description: 'Closes at this time or later, Unix seconds', examples: [1771977600] }),
  to_ts: closeBound.meta({ description: 'Closes at this time or before, Unix seconds', examples: [1772063999] }),
};
const offset = z
  .int()
  .min(0)
  .max(10_000)
  .default(0)
  .meta({ description: 'How many to skip', examples: [0] });
const query = <In extends z.ZodType, Out extends z.ZodType>(
  method: string,
  input: In,
  output: Out,
  errors: readonly ErrorCode[] = [],
) => contract({ service: 'catalog', method, kind: 'query', input, output, errors, timeoutMs: 5_000 });

/** The calls of the catalog service. Inputs are validated at the edge with the HTTP schemas; these bound them again. */
export const catalogRpc = {
  search: query(
    'search',
    z.object({
      ...filters,
      q: z
        .string()
        .default('')
        .meta({ description: `${words}; empty: everything that fits the filters`, examples: ['btc 15 minutes'] }),
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
      series_id: z.string().meta({ description: 'Identifier of the series', examples: ['KXBTC15M'] }),
      ...filters,
      offset,
      event_offset: offset.meta({ description: 'How many events to skip', examples: [0] }),
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
      series: text.meta({ description: 'Only this series, by its id', examples: ['KXBTC15M'] }),
      event: text.meta({ description: 'Only this event, by its ticker', examples: ['KXBTC15M-26FEB242330'] }),
      limit: limitOf(200, 50),
      days: z
        .int()
        .min(1)
        .max(7)
        .default(1)
        .meta({
          description:
            'Without `from_ts`, `to_ts`, `event` and `q`: what closes in this many days before the newest close that matches, and what is live',
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
