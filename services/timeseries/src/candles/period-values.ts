import { noPrice } from '../slabs/slab-format.js';
import type { ValuesOfRows } from '../slabs/slab-values.js';

/** Bid, ask, the sum of both, and the coin price, each in its own unit. NaN is null. */
const quotesN = 4;
/** Open, high, low and close. */
const partsN = 4;

/** The observations of one period. */
export interface PeriodValues {
  readonly startUs: number;
  observations: number;
  /** The parts of each quote in turn. */
  readonly ranges: number[];
  readonly last: LastRow;
}

export interface LastRow {
  us: number;
  readonly quotes: number[];
}

export interface PeriodsOfRows {
  /** Rows in order of time. Those before the first period are only the last rows before it. */
  add(rows: ValuesOfRows): void;
  /** Of periods with observations, in order. */
  readonly periods: readonly PeriodValues[];
  /** The last row before the first period. Its time is 0 without one. */
  readonly before: LastRow;
}

/** A typed array of this size has memory outside of the heap, which costs more. */
const nulls = (length: number): number[] => Array.from({ length }, () => NaN);
const noQuotes = nulls(quotesN);
const noRanges = nulls(quotesN * partsN);
const noRow = (): LastRow => ({ us: 0, quotes: [...noQuotes] });

/** Summarises the rows of periods, which begin at multiples of `periodUs`, in a single pass. */
export const periodsOfRows = ({
  startUs,
  periodUs,
}: {
  readonly startUs: number;
  readonly periodUs: number;
}): PeriodsOfRows => {
  const periods: PeriodValues[] = [];
  const before = noRow();
  let current: PeriodValues | undefined;
  let endUs = startUs;
  const begin = (us: number): PeriodValues => {
    const from = us - (us % periodUs);
    endUs = from + periodUs;
    const period = { startUs: from, observations: 0, ranges: [...noRanges], last: noRow() };
    periods.push(period);
    return period;
  };
  return {
    add: (rows) => {
      for (let row = 0; row < rows.us.length; row += 1) {
        const us = rows.us[row] ?? 0;
        if (us < startUs) {
          setLast(before, rows, row);
          continue;
        }
        if (current === undefined || us >= endUs) current = begin(us);
        current.observations += 1;
        setLast(current.last, rows, row);
        addQuotes(current);
      }
    },
    periods,
    before,
  };
};

const priceOf = (units: number | undefined): number => (units === undefined || units === noPrice ? NaN : units);

const setLast = (last: LastRow, { us, bid, ask, coin }: ValuesOfRows, row: number): void => {
  const [bidUnits, askUnits] = [priceOf(bid[row]), priceOf(ask[row])];
  last.us = us[row] ?? 0;
  last.quotes[0] = bidUnits;
  last.quotes[1] = askUnits;
  // Without one of both, there is no sum.
  last.quotes[2] = bidUnits + askUnits;
  last.quotes[3] = coin[row] ?? NaN;
};

const addQuotes = ({ ranges, last }: PeriodValues): void => {
  for (let quote = 0; quote < quotesN; quote += 1) {
    const value = last.quotes[quote] ?? NaN;
    if (Number.isNaN(value)) continue;
    const at = quote * partsN;
    const high = ranges[at + 1] ?? NaN;
    if (Number.isNaN(high)) {
      ranges.fill(value, at, at + partsN);
      continue;
    }
    if (value > high) ranges[at + 1] = value;
    if (value < (ranges[at + 2] ?? NaN)) ranges[at + 2] = value;
    ranges[at + 3] = value;
  }
};
