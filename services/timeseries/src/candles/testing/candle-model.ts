import type { timeseriesRpc } from '@almanac/contracts';
import type { z } from 'zod';
import type { Observation } from '../../testing/fixture.js';
import { lastKnown, type RandomMarket, valueOf } from '../../testing/random-market.js';
import type { MergedTrade } from './random-trades.js';

export type Candle = z.output<typeof timeseriesRpc.candles.output>['candles'][number];

export interface TradedMarket extends RandomMarket {
  /** By time, then by id. */
  readonly trades: readonly MergedTrade[];
}

export interface CandleQuery {
  readonly startUs: number;
  readonly endUs: number;
  readonly periodUs: number;
  readonly fill: 'none' | 'previous';
}

const rangeOf = (values: readonly (number | null)[]) => {
  const known = values.filter((value) => value !== null);
  const [open = null] = known;
  const close = known.at(-1) ?? null;
  return open === null
    ? { open, high: null, low: null, close }
    : { open, high: Math.max(...known), low: Math.min(...known), close };
};

/** Exact middles of prices in millionths. */
const midOf = ({ bid, ask }: Observation): number | null =>
  bid === null || bid === undefined || ask === null || ask === undefined
    ? null
    : (Math.round(Number(bid) * 1e6) + Math.round(Number(ask) * 1e6)) / 2 / 1e6;

export const ranges = (rows: readonly Observation[]) => ({
  yes_bid: rangeOf(rows.map(({ bid }) => valueOf(bid))),
  yes_ask: rangeOf(rows.map(({ ask }) => valueOf(ask))),
  mid: rangeOf(rows.map(midOf)),
  coin_price: rangeOf(rows.map(({ price }) => valueOf(price))),
});

const million = 1_000_000n;
/** The number nearest to so many millionths, as a JSON parser reads their decimal. */
const numberOf = (millionths: bigint): number =>
  Number(`${millionths / million}.${String(millionths % million).padStart(6, '0')}`);

/** The figures of some trades, exact until the end. */
export const tradeFigures = (trades: readonly MergedTrade[], previous: bigint | null) => {
  const volume = trades.reduce((sum, { size }) => sum + size, 0n);
  const paid = trades.reduce((sum, { price, size }) => sum + price * size, 0n);
  const mean = volume === 0n ? null : numberOf((2n * paid + volume) / (2n * volume));
  const prices = rangeOf(trades.map(({ price }) => numberOf(price)));
  return {
    price: { ...prices, mean, previous: previous === null ? null : numberOf(previous) },
    volume: numberOf(volume),
    trades: trades.length,
  };
};

export const tradingEnd = ({ closeUs, settlementUs }: RandomMarket): number =>
  Math.min(closeUs, settlementUs ?? closeUs);

/** The candles of a window, computed independently of the service. */
export const expectedCandles = (market: TradedMarket, { startUs, endUs, periodUs, fill }: CandleQuery): Candle[] => {
  const lastUs = Math.min(endUs, tradingEnd(market));
  const observed = market.rows.filter(({ us }) => us < lastUs);
  const traded = market.trades.filter(({ us }) => us < lastUs);
  const found: Candle[] = [];
  for (let us = Math.floor(startUs / periodUs) * periodUs; us < lastUs; us += periodUs) {
    const isInside = (row: { readonly us: number }): boolean => row.us >= us && row.us < us + periodUs;
    const [rows, trades] = [observed.filter(isInside), traded.filter(isInside)];
    const previous = traded.findLast((trade) => trade.us < us)?.price ?? null;
    const isEarlier = previous !== null || observed.some((row) => row.us < us);
    if (rows.length + trades.length === 0 && (fill === 'none' || !isEarlier)) continue;
    const known = { ...market, rows: observed.filter((row) => row.us < us + periodUs) };
    const carried = fill === 'none' ? undefined : lastKnown(known, Math.min(us + periodUs, endUs));
    const gapUs = market.gaps.reduce(
      (sum, [from, to]) => sum + Math.max(0, Math.min(to, us + periodUs, endUs) - Math.max(from, us)),
      0,
    );
    found.push({
      ticker: market.ticker,
      start_ts: us / 1e6,
      end_ts: (us + periodUs) / 1e6,
      ...ranges(rows.length > 0 ? rows : carried === undefined ? [] : [carried]),
      ...tradeFigures(trades, previous),
      ...(market.trades.length === 0 && { volume: null, trades: null }),
      observations: rows.length,
      gap_s: gapUs / 1e6,
    });
  }
  return found;
};
