import type { CatalogueFact } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';

const firstDayUs = Date.parse('2026-02-20T00:00:00Z') * 1_000;
const dayUs = 86_400e6;
const hourUs = 3_600e6;
export const daysN = 7;

/** UTC days as YYYY-MM-DD. The last one has no market and no row. */
export const days = Array.from({ length: daysN }, (_, day) =>
  new Date((firstDayUs + day * dayUs) / 1_000).toISOString().slice(0, 10),
);

export interface RandomSeries {
  readonly series: string;
  readonly facts: readonly CatalogueFact[];
  readonly observations: readonly { readonly ticker: string; readonly us: number }[];
  readonly trades: readonly { readonly ticker: string; readonly us: number }[];
  /** Each begins at its time, and some end at midnight. */
  readonly candles: readonly { readonly ticker: string; readonly us: number }[];
}

export const candleUs = hourUs;

const lengths = [hourUs / 4, 6 * hourUs, 30 * hourUs, 3 * dayUs];

/**
 * A series of markets of all lengths. Many have no row, some have rows outside of their times or on one side of
 * midnight, and some are settled days later or never. Some end exactly at midnight.
 */
export const randomSeries = (seed: number): RandomSeries => {
  const random = seededRandom(seed);
  const below = (end: number): number => Math.floor(random() * end);
  const series = `KXPARTS${seed}`;
  const markets = Array.from({ length: 14 }, (_, n) => {
    const open_us = firstDayUs + below((daysN - 2) * 24 * 4) * (hourUs / 4);
    const length = lengths[below(lengths.length)] ?? hourUs;
    const end = Math.min(open_us + length, firstDayUs + (daysN - 1) * dayUs);
    const close_us = below(4) === 0 ? open_us - (open_us % dayUs) + dayUs : end;
    return { ticker: `${series}-E${n % 9}-${n}`, event_ticker: `${series}-E${n % 9}`, open_us, close_us };
  });
  const rowsOf = ({ ticker, open_us, close_us }: (typeof markets)[number]) => {
    const from = Math.max(firstDayUs, open_us - hourUs);
    const to = Math.min(close_us + hourUs, firstDayUs + (daysN - 1) * dayUs);
    const count = below(5) < 3 ? 0 : 1 + below(4);
    return Array.from({ length: count }, () => ({ ticker, us: from + below(to - from) }));
  };
  const facts = markets.map((market): CatalogueFact => {
    const times = below(8) === 0 ? {} : { open_us: market.open_us, close_us: market.close_us };
    const settled = below(3) === 0 ? {} : { result: 'yes', settlement_us: market.close_us + below(3) * dayUs };
    return { kind: 'market', ticker: market.ticker, event_ticker: market.event_ticker, series, ...times, ...settled };
  });
  const observations = markets.flatMap(rowsOf);
  const trades = markets.flatMap(rowsOf);
  const candles = markets.flatMap(rowsOf).flatMap(({ ticker, us }) => {
    const startUs = us - (us % candleUs);
    const lastOfDayUs = startUs - (startUs % dayUs) + dayUs - candleUs;
    return [...new Set([startUs, below(3) === 0 ? lastOfDayUs : startUs])].map((start) => ({ ticker, us: start }));
  });
  return { series, facts, observations, trades, candles: distinct(candles) };
};

const distinct = (rows: RandomSeries['candles']): RandomSeries['candles'] => [
  ...new Map(rows.map((row) => [`${row.ticker} ${row.us}`, row])).values(),
];
