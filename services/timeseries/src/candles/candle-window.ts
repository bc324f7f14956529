import { DomainError, type MarketState } from '@almanac/contracts';
import { neverUs } from '../gaps/market-gaps.js';
import type { MarketContext } from '../market-context.js';
import { type CheckedBounds, checkedBounds, wholeWindowOf } from '../window/window.js';

const dayS = 86_400;
const presetS = 60;

export interface CandleRequest {
  readonly start_ts?: number | null | undefined;
  readonly end_ts?: number | null | undefined;
  readonly period_s?: number | undefined;
  readonly points?: number | undefined;
}

/** Whole periods from the epoch. `endUs` is exclusive and can be within the last period. */
export interface CandleWindow {
  readonly startUs: number;
  readonly endUs: number;
  readonly periodUs: number;
  /** The window of the request has further periods. */
  readonly goesOn: boolean;
  readonly dependsOnNow: boolean;
}

/** The seconds that divide a day, in ascending order. */
const divisors = Array.from({ length: dayS }, (_, index) => index + 1).filter((second) => dayS % second === 0);

export const boundsOf = ({ start_ts: startTs, end_ts: endTs }: CandleRequest): CheckedBounds =>
  checkedBounds({ startTs, endTs, stepMs: 0, preview: false });

/** Checks what needs no market. Throws `invalid_period` and `invalid_window`. */
export const checkSelection = (request: CandleRequest): void => {
  const { period_s: periodS, points } = request;
  boundsOf(request);
  if (periodS !== undefined && points !== undefined) {
    throw new DomainError('invalid_period', 'Send period_s or points, not both.');
  }
  if (periodS !== undefined && dayS % periodS !== 0) {
    const nearest = divisors.reduce((best, one) => (Math.abs(one - periodS) < Math.abs(best - periodS) ? one : best));
    throw new DomainError('invalid_period', `period_s must divide a day (${dayS} seconds). The nearest is ${nearest}.`);
  }
};

/** Observations at or after this time are of the settlement, not of trading. Null without one. */
export const tradingEndUs = ({
  close_us: closeUs,
  settlement_us: settlementUs,
}: Pick<MarketState, 'close_us' | 'settlement_us'>): number | null => {
  const ends = [closeUs, settlementUs].filter((us) => us !== null);
  return ends.length === 0 ? null : Math.min(...ends);
};

/** No candle begins at or after this time. The last values are known up to now, and not for periods in the future. */
export const candlesUntilUs = ({ state, times }: MarketContext, fill: 'none' | 'previous'): number => {
  const knownUs = fill === 'none' ? neverUs : Math.max(times.nowUs, times.lastUs ?? 0) + 1;
  return Math.min(knownUs, tradingEndUs(state) ?? neverUs);
};

interface WindowOptions {
  /** The most candles of a market. */
  readonly candlesMax: number;
  /** A period that is not given is a multiple of these seconds. Null for any. */
  readonly unitS: number | null;
}

/**
 * The window of candles of one or several markets. Without a bound, it begins or ends with their data. It has at most
 * `candlesMax` periods. Throws `invalid_window`.
 */
export const candleWindowOf = (
  request: CandleRequest,
  markets: readonly MarketContext[],
  { candlesMax, unitS }: WindowOptions,
): CandleWindow => {
  const { period_s: periodS, points } = request;
  const bounds = boundsOf(request);
  const windows = markets.map((market) => wholeWindowOf(bounds, tradingTimes(market), market.minUs));
  const [fromUs, endUs] = [
    Math.min(...windows.map((window) => window.startUs)),
    Math.max(...windows.map((window) => window.endUs)),
  ];
  const dependsOnNow = windows.some((window) => window.dependsOnNow);
  const presetOfS = unitS === null || presetS % unitS === 0 ? presetS : unitS;
  const periodUs =
    points !== undefined ? shortestPeriodUs({ fromUs, endUs }, points, unitS ?? 1) : (periodS ?? presetOfS) * 1_000_000;
  const startUs = floorTo(fromUs, periodUs);
  const lastUs = startUs + candlesMax * periodUs;
  const goesOn = lastUs < endUs;
  return { startUs, endUs: goesOn ? lastUs : endUs, periodUs, goesOn, dependsOnNow };
};

const floorTo = (us: number, stepUs: number): number => Math.floor(us / stepUs) * stepUs;

const periodsIn = (fromUs: number, endUs: number, periodUs: number): number =>
  Math.ceil((endUs - floorTo(fromUs, periodUs)) / periodUs);

/** The shortest divisor of a day, or the least number of days, of which the window has at most `points`. */
const shortestPeriodUs = (
  { fromUs, endUs }: { readonly fromUs: number; readonly endUs: number },
  points: number,
  unitS: number,
): number => {
  const second = divisors.find((one) => one % unitS === 0 && periodsIn(fromUs, endUs, one * 1_000_000) <= points);
  if (second !== undefined) return second * 1_000_000;
  const dayUs = dayS * 1_000_000;
  let days = Math.max(1, Math.floor((endUs - fromUs) / dayUs / points));
  while (periodsIn(fromUs, endUs, days * dayUs) > points) days += 1;
  return days * dayUs;
};

/** The end of the data is the end of trading, because later observations are in no candle. */
const tradingTimes = ({ state, times, minUs }: MarketContext): MarketContext['times'] => {
  const endUs = tradingEndUs(state);
  if (endUs === null || times.live) return { ...times, openUs: minUs ?? times.openUs };
  const lastUs = times.lastUs === null ? null : Math.min(times.lastUs, endUs - 1);
  return { ...times, openUs: minUs ?? times.openUs, closeUs: lastUs === null ? endUs : null, lastUs };
};
