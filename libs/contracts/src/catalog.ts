import { z } from 'zod';
import { eventOf } from './events.js';
import { decimal, micros, numberOf, secondsOf } from './numbers.js';

/** A market as the API shows it. Times are Unix seconds with a fraction. */
export const market = z.object({
  ticker: z.string(),
  series: z.string().nullable(),
  title: z.string().nullable(),
  status: z.string().nullable().describe('`live`, `closed` or `finalized`, computed at the time of the answer'),
  result: z.string().nullable(),
  open_ts: z.number().nullable(),
  close_ts: z.number().nullable(),
  floor_strike: z.number().nullable(),
  strike_type: z.string().nullable(),
  coin_price_start: z.number().nullable(),
  coin_price_end: z.number().nullable(),
  expiration_value: z.number().nullable(),
  settlement_ts: z.number().nullable(),
  event_ticker: z.string().nullable(),
  category: z.string().nullable(),
  shape: z.string().nullable(),
  capture: z.string().nullable(),
});
export type Market = z.infer<typeof market>;

export const seriesItem = z.object({
  id: z.string(),
  label: z.string(),
  category: z.string().nullable(),
  category_label: z.string().nullable(),
  shape: z.string().nullable(),
  markets_n: z.int().nullable(),
  live_n: z.int().nullable(),
  closed_n: z.int().nullable(),
  events_n: z.int().nullable(),
  sample_title: z.string().nullable(),
  next_close_ts: z.number().nullable(),
  last_close_ts: z.number().nullable(),
  min_open_ts: z.number().nullable(),
  status: z.string().nullable(),
});
export type SeriesItem = z.infer<typeof seriesItem>;

export const eventItem = z.object({
  event_ticker: z.string(),
  title: z.string().nullable(),
  series: z.string().nullable(),
  category: z.string().nullable(),
  status: z.string().nullable(),
  open_ts: z.number().nullable(),
  close_ts: z.number().nullable(),
  markets_n: z.int(),
  live_n: z.int(),
  closed_n: z.int(),
});
export type EventItem = z.infer<typeof eventItem>;

const observedPrice = z.object({ price: decimal, us: micros }).nullable();

/**
 * A market as it is stored: the state after its last event. Times are integer microseconds, prices exact decimals.
 * `first_price` and `last_price` are the first and last coin price observed while it was open; they stand in where no
 * source gave `coin_price_start` or `coin_price_end`.
 */
export const marketState = z.object({
  ticker: z.string().min(1),
  series: z.string().nullable().default(null),
  event_ticker: z.string().nullable().default(null),
  title: z.string().nullable().default(null),
  category: z.string().nullable().default(null),
  category_label: z.string().nullable().default(null),
  capture: z.enum(['top', 'l2']).nullable().default(null),
  venue_status: z.string().nullable().default(null),
  result: z.string().nullable().default(null),
  strike_type: z.string().nullable().default(null),
  open_us: micros.nullable().default(null),
  close_us: micros.nullable().default(null),
  settlement_us: micros.nullable().default(null),
  floor_strike: decimal.nullable().default(null),
  coin_price_start: decimal.nullable().default(null),
  coin_price_end: decimal.nullable().default(null),
  expiration_value: decimal.nullable().default(null),
  first_price: observedPrice.default(null),
  last_price: observedPrice.default(null),
});
export type MarketState = z.infer<typeof marketState>;

export const seriesState = z.object({
  id: z.string().min(1),
  label: z.string().nullable().default(null),
  category: z.string().nullable().default(null),
  category_label: z.string().nullable().default(null),
  shape: z.string().nullable().default(null),
});
export type SeriesState = z.infer<typeof seriesState>;

export const eventState = z.object({
  event_ticker: z.string().min(1),
  title: z.string().nullable().default(null),
  series: z.string().nullable().default(null),
  category: z.string().nullable().default(null),
});
export type EventState = z.infer<typeof eventState>;

/**
 * What a source knows of one thing. A field that is null or absent says nothing and erases nothing. Series and events
 * that only their markets name are created with them.
 */
export const catalogueFact = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('market'), ...marketState.partial().shape, ticker: z.string().min(1) }),
  z.object({ kind: z.literal('series'), ...seriesState.partial().shape, id: z.string().min(1) }),
  z.object({ kind: z.literal('event'), ...eventState.partial().shape, event_ticker: z.string().min(1) }),
]);
export type CatalogueFact = z.input<typeof catalogueFact>;

const factsOf = <Shape extends z.ZodRawShape>(state: z.ZodObject<Shape>) => state.partial();

/** EVT_CATALOG. `data` is what the source said, `state` the thing after it. */
export const catalogEvents = {
  MarketRecorded: eventOf('MarketRecorded', factsOf(marketState), marketState),
  SeriesRecorded: eventOf('SeriesRecorded', factsOf(seriesState), seriesState),
  EventRecorded: eventOf('EventRecorded', factsOf(eventState), eventState),
};

/** The status that the API shows, computed: a market is live until its close, whatever else is known. */
export const statusOf = (
  state: Pick<MarketState, 'close_us' | 'venue_status' | 'result' | 'settlement_us'>,
  nowUs: number,
): 'live' | 'closed' | 'finalized' => {
  const open = state.venue_status === 'open' || state.venue_status === 'active';
  if (state.close_us === null ? open : nowUs < state.close_us) return 'live';
  return state.result !== null || state.settlement_us !== null ? 'finalized' : 'closed';
};

/** The stored market as the API shows it. `shape` is its series', kept there so that one event changes all. */
export const presentMarket = (state: MarketState, shape: string | null, nowUs: number): Market => ({
  ticker: state.ticker,
  series: state.series,
  title: state.title,
  status: statusOf(state, nowUs),
  result: state.result,
  open_ts: secondsOf(state.open_us),
  close_ts: secondsOf(state.close_us),
  floor_strike: numberOf(state.floor_strike),
  strike_type: state.strike_type,
  coin_price_start: numberOf(state.coin_price_start ?? state.first_price?.price ?? null),
  // What was last observed of a live market is not its end yet.
  coin_price_end:
    statusOf(state, nowUs) === 'live' ? null : numberOf(state.coin_price_end ?? state.last_price?.price ?? null),
  expiration_value: numberOf(state.expiration_value),
  settlement_ts: secondsOf(state.settlement_us),
  event_ticker: state.event_ticker,
  category: state.category,
  shape,
  capture: state.capture,
});
