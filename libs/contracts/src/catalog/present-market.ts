import { type Market, type MarketState, type SeriesState, statusOf } from './catalog.js';
import { presentFee, presentHistory, presentRules, presentTickSize } from './market-history.js';
import { numberOf, secondsOf } from '../requests/numbers.js';

/** An observed coin price replaces a missing one for so long. */
export const coinPriceAgeUsMax = 60_000_000;

/**
 * The coin's prices at the open and at the close: the source's value, else an observation close enough to replace it,
 * else null. A price from minutes before or from later does not count, and without an open or close time none does.
 */
export const coinPricesOf = ({
  coin_price_start,
  coin_price_end,
  ...observed
}: MarketState): Pick<MarketState, 'coin_price_start' | 'coin_price_end'> => ({
  coin_price_start: coin_price_start ?? priceBefore(observed.open_price, observed.open_us)?.price ?? null,
  coin_price_end: coin_price_end ?? priceBefore(observed.last_price, observed.close_us)?.price ?? null,
});

/** The observation, if it is close enough before a moment, and its age then. */
const priceBefore = (
  observed: MarketState['open_price'],
  us: number | null,
): { readonly price: string; readonly ageUs: number } | null => {
  if (observed === null || us === null) return null;
  const ageUs = us - observed.us;
  return ageUs >= 0 && ageUs <= coinPriceAgeUsMax ? { price: observed.price, ageUs } : null;
};

/** Where shown values of a market come from, and what only its detail shows. */
export const provenanceOf = (state: MarketState, nowUs: number) => {
  const isLive = statusOf(state, nowUs) === 'live';
  const start = state.coin_price_start === null ? priceBefore(state.open_price, state.open_us) : null;
  const end = state.coin_price_end === null && !isLive ? priceBefore(state.last_price, state.close_us) : null;
  return {
    title_source: sourceOfText(state.title, state.derived_title),
    venue: state.venue,
    settlement_value: numberOf(state.settlement_value),
    coin_price_start_age_s: secondsOf(start?.ageUs ?? null),
    coin_price_end_age_s: secondsOf(end?.ageUs ?? null),
    volume: numberOf(state.trades?.volume ?? null),
    trades_n: state.trades?.n ?? 0,
  };
};

/** The terms of a market and what changed. The answer is valid until `nextFeeUs`, when another fee begins. */
export const termsOf = (state: MarketState, series: SeriesState | undefined, nowUs: number) => {
  const { fee, nextUs } = presentFee(series?.fees ?? [], nowUs);
  return {
    terms: {
      rules: presentRules(state.history),
      tick_size: presentTickSize(state.history),
      fee,
      ...presentHistory(state.history, state),
    },
    nextFeeUs: nextUs,
  };
};

/** Who wrote a title or label. Null: there is none. */
export const sourceOfText = (name: string | null, isDerived: boolean | null): 'venue' | 'almanac' | null =>
  name === null ? null : isDerived === true ? 'almanac' : 'venue';

/** A stored market as the API shows it. `shape` is stored with its series, so one event changes all markets. */
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
  coin_price_start: numberOf(coinPricesOf(state).coin_price_start),
  // The last observation of a live market is not its end price yet.
  coin_price_end: statusOf(state, nowUs) === 'live' ? null : numberOf(coinPricesOf(state).coin_price_end),
  expiration_value: numberOf(state.expiration_value),
  settlement_ts: secondsOf(state.settlement_us),
  event_ticker: state.event_ticker,
  category: state.category,
  shape,
  capture: state.capture,
});
