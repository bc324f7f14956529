import { z } from 'zod';
import { eventTypesOf } from '../events/events.js';
import { feedIds } from './feed-ids.js';
import { knownValues, seriesFee } from './market-history.js';
import { decimal, micros } from '../requests/numbers.js';

const text = z.string().nullable();
const number = z.number().nullable();

/** A market as the API shows it. Times are Unix seconds with a fraction. */
export const market = z
  .object({
    ticker: z.string().meta({ description: 'Ticker of the market', examples: ['KXBTC15M-26FEB242330-30'] }),
    series: text.meta({ description: 'Id of the series', examples: ['KXBTC15M'] }),
    title: text.meta({
      description: 'Title from the venue. If it has none, a title made from series, strike and close',
      examples: ['BTC price up in the next 15 minutes?'],
    }),
    status: text.meta({
      description:
        'Status at the time of the answer: `live` before the close, `finalized` when the result or settlement is known, otherwise `closed`',
      examples: ['finalized'],
    }),
    result: text.meta({ description: 'Outcome of the market, such as `yes` or `no`', examples: ['yes'] }),
    open_ts: number.meta({ description: 'Time when trading opens, in Unix seconds', examples: [1771992900] }),
    close_ts: number.meta({ description: 'Time when trading closes, in Unix seconds', examples: [1771993800] }),
    floor_strike: number.meta({ description: 'Strike value, in the unit of the underlying', examples: [65434.98] }),
    strike_type: text.meta({ description: 'How the outcome compares to the strike', examples: ['greater_or_equal'] }),
    coin_price_start: number.meta({
      description:
        'Coin price in USD at the open. If the source has no price, the last price observed at or before the open, at most 60 seconds earlier, otherwise null',
      examples: [65434.98],
    }),
    coin_price_end: number.meta({
      description:
        'Coin price in USD at the close. If the source has no price, the last price observed at or before the close, at most 60 seconds earlier, otherwise null. Null while the market is live',
      examples: [65573.37],
    }),
    expiration_value: number.meta({ description: 'Value that the market was settled on', examples: [65573.37] }),
    settlement_ts: number.meta({
      description: 'Time when the market was settled, in Unix seconds',
      examples: [1771993875.66696],
    }),
    event_ticker: text.meta({
      description: 'Ticker of the event that the market belongs to',
      examples: ['KXBTC15M-26FEB242330'],
    }),
    category: text.meta({ description: 'Slug of the category', examples: ['crypto'] }),
    shape: text.meta({ description: '`rolling` if the series always has a next market', examples: ['rolling'] }),
    capture: text.meta({
      description: 'Recorded data: `top` for the top of the book, `l2` for full order books',
      examples: ['l2'],
    }),
    withheld: z
      .array(z.string())
      .meta({
        description:
          'With `as_of`: fields of which no value was known by then, or whose values have no knowledge time. They are null. Absent without `as_of`',
        examples: [['result', 'settlement_ts']],
      })
      .optional(),
  })
  .meta({ id: 'Market', description: 'A market is a question with a yes side and a no side.' });
export type Market = z.infer<typeof market>;

const total = z.int().min(0);

export const seriesItem = z
  .object({
    id: z.string().meta({ description: 'Id of the series', examples: ['KXBTC15M'] }),
    label: z.string().meta({ description: 'Display name', examples: ['Bitcoin price up down'] }),
    category: text.meta({ description: 'Slug of the category', examples: ['crypto'] }),
    category_label: text.meta({ description: 'Category name from the venue', examples: ['Crypto'] }),
    shape: text.meta({ description: '`rolling` if the series always has a next market', examples: ['rolling'] }),
    markets_n: total.nullable().meta({ description: 'Number of markets in the series', examples: [3625] }),
    live_n: total.nullable().meta({ description: 'Number of live markets', examples: [1] }),
    closed_n: total.nullable().meta({ description: 'Number of markets that are not live', examples: [3624] }),
    events_n: total.nullable().meta({ description: 'Number of events in the series', examples: [3625] }),
    sample_title: text.meta({
      description: 'Title of one market of the series',
      examples: ['BTC price up in the next 15 minutes?'],
    }),
    next_close_ts: number.meta({
      description: 'Earliest close in the future, in Unix seconds',
      examples: [1775320200],
    }),
    last_close_ts: number.meta({ description: 'Latest close in the past, in Unix seconds', examples: [1775319300] }),
    min_open_ts: number.meta({ description: 'Earliest open of all markets, in Unix seconds', examples: [1771992900] }),
    status: text.meta({
      description: '`live` while at least one market is live, otherwise `closed` or `finalized`',
      examples: ['live'],
    }),
  })
  .meta({ id: 'SeriesItem', description: 'A series groups markets of one kind.' });
export type SeriesItem = z.infer<typeof seriesItem>;

export const eventItem = z
  .object({
    event_ticker: z.string().meta({ description: 'Ticker of the event', examples: ['KXBTC15M-26FEB242330'] }),
    title: text.meta({
      description: 'Title from the venue. If it has none, a title made from series and close',
      examples: ['BTC price at 11:30 PM EST'],
    }),
    series: text.meta({ description: 'Id of the series', examples: ['KXBTC15M'] }),
    category: text.meta({ description: 'Slug of the category', examples: ['crypto'] }),
    status: text.meta({
      description: '`live` while at least one market is live, otherwise `closed` or `finalized`',
      examples: ['finalized'],
    }),
    open_ts: number.meta({ description: 'Earliest open of all markets, in Unix seconds', examples: [1771992900] }),
    close_ts: number.meta({ description: 'Latest close of all markets, in Unix seconds', examples: [1771993800] }),
    markets_n: total.meta({ description: 'Number of markets in the event', examples: [1] }),
    live_n: total.meta({ description: 'Number of live markets', examples: [0] }),
    closed_n: total.meta({ description: 'Number of markets that are not live', examples: [1] }),
  })
  .meta({
    id: 'EventItem',
    description: 'An event happens once and has one or more markets. Exports are sold per event.',
  });
export type EventItem = z.infer<typeof eventItem>;

export const observedPrice = z.object({ price: decimal, us: micros }).nullable();

/** What sources state about a market. Its state, merge rule, columns and fields of mappings follow from these lists. */
export const marketFields = {
  texts: [
    'series',
    'event_ticker',
    'title',
    'category',
    'category_label',
    'venue',
    'venue_status',
    'result',
    'strike_type',
  ],
  times: ['open_us', 'close_us', 'settlement_us'],
  decimals: ['floor_strike', 'coin_price_start', 'coin_price_end', 'expiration_value', 'settlement_value'],
} as const;

export const mapNames = <const Name extends string, Value>(
  names: readonly Name[],
  valueOf: (name: Name) => Value,
): Record<Name, Value> =>
  // Object.fromEntries loses the names' types.
  Object.fromEntries(names.map((name) => [name, valueOf(name)])) as Record<Name, Value>;

/**
 * The state of a market. Times are integer microseconds, prices exact decimals. `open_price` and `last_price` are the
 * last coin prices observed at or before the open and the close. `coinPricesOf` defines when they replace missing
 * prices.
 */
export const marketState = z.object({
  ticker: z.string().min(1),
  ...mapNames(marketFields.texts, () => z.string().nullable().default(null)),
  /** True if Almanac made the title, because no source has one. */
  derived_title: z.boolean().nullable().default(null),
  capture: z.enum(['top', 'l2']).nullable().default(null),
  ...mapNames(marketFields.times, () => micros.nullable().default(null)),
  ...mapNames(marketFields.decimals, () => decimal.nullable().default(null)),
  feed_ids: feedIds.nullable().default(null),
  open_price: observedPrice.default(null),
  last_price: observedPrice.default(null),
  /** The stored trades. Their number only grows, so of two statements the one with more trades is the later one. */
  trades: z
    .object({ n: z.int().min(0), volume: decimal })
    .nullable()
    .default(null),
  /** What became known when, the earliest first. The catalog service bounds its size. */
  history: z.array(knownValues).default([]),
});
eventTypesOf(marketState, ['MarketRecorded']);
export type MarketState = z.infer<typeof marketState>;

export const seriesState = z.object({
  id: z.string().min(1),
  label: z.string().nullable().default(null),
  /** True if Almanac made the label, because the venue's is not known. */
  derived_label: z.boolean().nullable().default(null),
  category: z.string().nullable().default(null),
  category_label: z.string().nullable().default(null),
  shape: z.string().nullable().default(null),
  /** Its fees, the earliest known first. */
  fees: z.array(seriesFee).default([]),
});
eventTypesOf(seriesState, ['SeriesRecorded']);
export type SeriesState = z.infer<typeof seriesState>;

export const eventState = z.object({
  event_ticker: z.string().min(1),
  title: z.string().nullable().default(null),
  series: z.string().nullable().default(null),
  category: z.string().nullable().default(null),
  category_label: z.string().nullable().default(null),
});
eventTypesOf(eventState, ['EventRecorded']);
export type EventState = z.infer<typeof eventState>;

/**
 * What a source states about one entity. A null or absent field states nothing and erases nothing. Series and events
 * that a market references are created with it.
 */
export const catalogueFact = z.discriminatedUnion('kind', [
  z.object({
    kind: z.literal('market'),
    ...marketState.partial().shape,
    ticker: z.string().min(1),
    /** When the values of this fact were known. A value may have several times. */
    history: z.array(knownValues).optional(),
  }),
  z.object({
    kind: z.literal('series'),
    ...seriesState.partial().shape,
    id: z.string().min(1),
    fees: z.array(seriesFee).optional(),
  }),
  z.object({ kind: z.literal('event'), ...eventState.partial().shape, event_ticker: z.string().min(1) }),
]);
export type CatalogueFact = z.input<typeof catalogueFact>;

/** The computed status in the API. A market is live until its close, whatever else is known. */
export const statusOf = (
  state: Pick<MarketState, 'close_us' | 'venue_status' | 'result' | 'settlement_us'>,
  nowUs: number,
): 'live' | 'closed' | 'finalized' => {
  const open = state.venue_status === 'open' || state.venue_status === 'active';
  if (state.close_us === null ? open : nowUs < state.close_us) return 'live';
  return state.result !== null || state.settlement_us !== null ? 'finalized' : 'closed';
};
