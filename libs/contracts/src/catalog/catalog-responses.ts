import { z } from 'zod';
import { asOfEcho } from '../requests/as-of.js';
import { eventItem, market, seriesItem } from './catalog.js';
import { marketChange, marketFee, marketRules, marketTickSize } from './market-history.js';
import { closeWindow, cursorPage, page } from '../requests/paging.js';

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
  .meta({
    description: 'Time when the cached figures were computed, in Unix seconds. Null with `as_of`',
    examples: [1775319300.25],
  });
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
    ...asOfEcho,
  })
  .meta({ id: 'SeriesResponse' });
export const marketsResponse = z
  .object({
    count,
    source,
    markets: markets.meta({
      description:
        'Markets in this answer: newest close first, then by ticker. With `changed_since_ts`, the earliest change first',
    }),
    ...cursorPage,
    next_cursor: cursorPage.next_cursor.meta({
      description:
        '`cursor` of the next page. Null on the last page. With `changed_since_ts` it is never null: send it later to get what changed since',
      examples: ['eyJ0IjoiS1hCVEMxNU0ifQ'],
    }),
    ...closeWindow,
    ...asOfEcho,
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
    venue: z
      .string()
      .nullable()
      .meta({
        description:
          'Id of the venue that lists the market. Null if no source has stated it, also for markets that were imported by a release before it was stored, until they are imported again',
        examples: ['kalshi'],
      }),
    settlement_value: z
      .number()
      .nullable()
      .meta({
        description:
          'What a contract of the yes side paid at the settlement, as a fraction of 1: 1 or 0 after `yes` or `no`, and another value after a fractional payout or a void market. Null before the settlement, and if no source states it',
        examples: [1],
      }),
    coin_price_start_age_s: priceAge('open'),
    coin_price_end_age_s: priceAge('close'),
    volume: z
      .number()
      .nullable()
      .meta({ description: 'Number of contracts in the stored trades. Null without trades', examples: [43775.5] }),
    trades_n: total.nullable().meta({ description: 'Number of stored trades. Null with `as_of`', examples: [450] }),
    rules: marketRules.nullable().meta({ description: 'Rules that were known last. Null if no source has them' }),
    tick_size: marketTickSize.nullable().meta({
      description: 'Price steps that were known last. Null if no source has them',
    }),
    fee: marketFee.nullable().meta({ description: 'Fee of the series now. Null if no source has one' }),
    history: z.array(marketChange).meta({
      description:
        'Changes of status, close, result and settlement value, the earliest known first, and those of unknown time last. A value is listed once, from when it was first known',
    }),
    history_has_more: z.boolean().meta({
      description: 'Whether later changes may be missing, because 32 values of one field are kept',
      examples: [false],
    }),
    ...asOfEcho,
    withheld: z
      .array(z.string())
      .meta({
        description:
          'With `as_of`: fields of this answer that are null because nothing of them was known by then, or because they have no knowledge time. `market` has its own list. Absent without `as_of`',
        examples: [['volume', 'trades_n']],
      })
      .optional(),
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
    ...asOfEcho,
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
    ...asOfEcho,
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
  .object({
    count,
    categories: z.array(category).meta({ description: 'All categories' }),
    source,
    saved_ts,
    ...asOfEcho,
  })
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
          'The words that were searched instead, if nothing matches `q`: each unknown word is replaced by the word of the nearest spelling. Absent otherwise, and always with `as_of`',
        examples: ['bitcoin price'],
      }),
    hits: z.array(searchHit).meta({ description: 'Hits, best first' }),
    ...asOfEcho,
  })
  .meta({ id: 'SearchResponse' });
