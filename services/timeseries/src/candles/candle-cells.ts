import { coinDigits, priceDigits } from '../slabs/slab-format.js';
import type { Cell } from '../tables/table-text.js';
import type { LastRow, PeriodsOfRows, PeriodValues } from './period-values.js';

/** The periods of one market. */
export interface CandleGrid {
  readonly ticker: string;
  readonly startUs: number;
  readonly periodUs: number;
  /** The end (exclusive) of what the window covers. */
  readonly endUs: number;
  /** The same, or what ends earlier: trading, or with `fill=previous` what is past. No candle begins at or after it. */
  readonly untilUs: number;
  readonly gaps: readonly (readonly number[])[];
  readonly fill: 'none' | 'previous';
}

/** How many units a part of a quote counts for, and the digits of its decimal. Half of a sum has one more digit. */
const scales = [
  { factor: 1, digits: priceDigits },
  { factor: 1, digits: priceDigits },
  { factor: 5, digits: priceDigits + 1 },
  { factor: 1, digits: coinDigits },
] as const;
const partsN = 4;
const gapDigits = 6;
/** Price, volume and number of trades. */
const noTrades: readonly Cell[] = Array.from({ length: 8 }, () => null);

/** The cells of each candle of a market without trades, in the order of `candleTable`. The same as its SQL computes. */
export function* candleCells(grid: CandleGrid, rows: PeriodsOfRows): Generator<readonly Cell[], void, void> {
  const gapUs = gapsOfPeriods(grid);
  const cellsOf = (startUs: number, ranges: readonly Cell[], observations: number): readonly Cell[] => {
    const ends = [startUs, startUs + grid.periodUs].map((us) => decimalText(us, 6));
    const gap = gapUs[(startUs - grid.startUs) / grid.periodUs] ?? 0;
    const figures = [String(observations), decimalText(gap, gapDigits)];
    return [{ quoted: grid.ticker }, ...ends, ...ranges, ...noTrades, ...figures];
  };
  if (grid.fill === 'none') {
    for (const { startUs, ranges, observations } of rows.periods) {
      yield cellsOf(startUs, rangeCells(ranges), observations);
    }
    return;
  }
  for (const { startUs, period, carried } of everyPeriod(grid, rows)) {
    if (period !== undefined) yield cellsOf(startUs, rangeCells(period.ranges), period.observations);
    else yield cellsOf(startUs, carriedCells(carried), 0);
  }
}

interface FilledPeriod {
  readonly startUs: number;
  readonly period: PeriodValues | undefined;
  /** The last row before the period. Null if a gap follows it. */
  readonly carried: LastRow | null;
}

/** Every period after the first known row. */
function* everyPeriod(
  { startUs: fromUs, endUs, untilUs, periodUs, gaps }: CandleGrid,
  { periods, before }: PeriodsOfRows,
): Generator<FilledPeriod, void, void> {
  const sorted = gaps.toSorted(([a = 0], [b = 0]) => a - b);
  let [next, nextGap, lostUs, last] = [0, 0, 0, before];
  for (let startUs = fromUs; startUs < untilUs; startUs += periodUs) {
    const period = periods[next]?.startUs === startUs ? periods[next] : undefined;
    if (period !== undefined) {
      next += 1;
      last = period.last;
    }
    // The part of a period that the window covers.
    const coveredUs = Math.min(startUs + periodUs, endUs);
    for (; (sorted[nextGap]?.[0] ?? Infinity) < coveredUs; nextGap += 1) {
      lostUs = Math.max(lostUs, sorted[nextGap]?.[1] ?? 0);
    }
    if (last.us > 0) yield { startUs, period, carried: lostUs > last.us ? null : last };
  }
}

const rangeCells = (ranges: readonly number[]): readonly Cell[] => {
  const cells: Cell[] = [];
  for (const [quote, scale] of scales.entries()) {
    for (let part = 0; part < partsN; part += 1) cells.push(valueText(ranges[quote * partsN + part], scale));
  }
  return cells;
};

const carriedCells = (carried: LastRow | null): readonly Cell[] =>
  scales.flatMap((scale, quote) => {
    const text = valueText(carried?.quotes[quote], scale);
    return [text, text, text, text];
  });

const valueText = (units: number | undefined, { factor, digits }: (typeof scales)[number]): string | null =>
  units === undefined || Number.isNaN(units) ? null : decimalText(units * factor, digits);

/** An integer number of units of the last digit, without zeros at the end. At most nine digits. */
export const decimalText = (units: number, digits: number): string => {
  const scale = 10 ** digits;
  const size = Math.abs(units);
  // The quotient of a safe integer is never rounded up to the next integer, so the rest is exact.
  const whole = Math.floor(size / scale);
  // With 32 bits, the loop is quick.
  let fraction = (size - whole * scale) | 0;
  const start = `${units < 0 ? '-' : ''}${whole}`;
  if (fraction === 0) return start;
  let shown = digits;
  for (; fraction % 10 === 0; fraction = (fraction / 10) | 0) shown -= 1;
  return `${start}.${String(fraction).padStart(shown, '0')}`;
};

/** Microseconds of gaps in each period, within what the window covers. */
const gapsOfPeriods = ({ startUs, endUs, periodUs, gaps }: CandleGrid): Float64Array => {
  const found = new Float64Array(gaps.length === 0 ? 0 : Math.max(0, Math.ceil((endUs - startUs) / periodUs)));
  for (const [gapStartUs = 0, gapEndUs = 0] of gaps) {
    const [fromUs, toUs] = [Math.max(gapStartUs, startUs), Math.min(gapEndUs, endUs)];
    for (let us = fromUs; us < toUs;) {
      const sinceUs = (us - startUs) % periodUs;
      const at = (us - startUs - sinceUs) / periodUs;
      const nextUs = Math.min(us - sinceUs + periodUs, toUs);
      found[at] = (found[at] ?? 0) + nextUs - us;
      us = nextUs;
    }
  }
  return found;
};
