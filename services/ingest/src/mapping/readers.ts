import type { OnAltered } from '../values/altered.js';
import { cutToMicros, decimalsMax, readStoredTime, storedDecimal } from '../values/stored-values.js';
import { isOfOtherUnit, readDuration, readSpan, readTime } from '../values/time.js';
import { tickerTime } from '../values/ticker-time.js';
import { declaredFault, readDeclaredTime } from './declared-times.js';
import type { DecimalSource, TextSource, TimeColumn, TimeSource } from './mapping.js';
import { pointLeftOf } from '../values/decimal-unit.js';

export interface FactRow {
  readonly cells: readonly string[];
  readonly ticker: string;
  /** The row's own time, null in a file whose rows are markets. */
  readonly rowUs: number | null;
  readonly closeUs: number | null;
}

/** Null if the cell is empty, a `Flaw` if its value is invalid. */
export type Reading<T> = T | null | Flaw;
export type Reader<T> = (row: FactRow) => Reading<T>;

/** Why a value could not be used. The reason is the same for every row, so it can be counted. */
export class Flaw {
  constructor(
    readonly reason: string,
    /** Whether the row is refused. Otherwise only the field is dropped. */
    readonly refusesRow = false,
  ) {}
}

export type CellOf = (column: string) => number;

/** The first source with a value. Without any, the first flaw, so that the field is counted as dropped. */
export const firstOf =
  <T>(readers: readonly Reader<T>[]): Reader<T> =>
  (row) => {
    let flaw: Flaw | null = null;
    for (const read of readers) {
      const value = read(row);
      if (value instanceof Flaw) flaw ??= value;
      else if (value !== null) return value;
    }
    return flaw;
  };

export const textReader = (source: TextSource, cellOf: CellOf): Reader<string> => {
  if ('constant' in source) {
    const { constant, when_ticker: when } = source;
    return ({ ticker }) => (when === undefined || when.test(ticker) ? constant : null);
  }
  if ('ticker' in source) return (row) => firstGroup(source.ticker, row.ticker) ?? new Flaw('not in the ticker');
  const cell = cellOf(source.column);
  const { pattern, values } = source;
  return ({ cells }) => {
    const text = (cells[cell] ?? '').trim();
    if (text === '') return null;
    const cut = pattern ? firstGroup(pattern, text) : text;
    return cut === null ? new Flaw('does not have the expected form') : (values?.[cut] ?? cut);
  };
};

export const firstGroup = (pattern: RegExp, text: string): string | null => {
  const match = pattern.exec(text);
  return match ? (match[1] ?? match[0]) : null;
};

/** YES prices are stored with 6 decimals, coin prices and strikes with 8. Further decimals are rounded. */
export const readPrice = (
  text: string,
  source: Exclude<DecimalSource, { constant: string }>,
  { kind, onAltered }: { kind: keyof typeof decimalsMax; onAltered?: OnAltered },
): string | null => {
  const decimals = Math.min(source.decimals ?? decimalsMax[kind], decimalsMax[kind]);
  return storedDecimal(text, {
    pointLeft: pointLeftOf(source.unit),
    decimals,
    floatNoise: source.float_noise,
    ...(onAltered && { onAltered }),
  });
};

export const decimalReader = (source: DecimalSource, cellOf: CellOf, onAltered: OnAltered): Reader<string> => {
  if ('constant' in source) return () => source.constant;
  const cell = cellOf(source.column);
  return ({ cells }) => {
    const text = (cells[cell] ?? '').trim();
    return text === ''
      ? null
      : (readPrice(text, source, { kind: 'value', onAltered }) ?? new Flaw('not a decimal number'));
  };
};

/** The time of a text, null if it is none. Digits below a microsecond are cut off and reported. */
export const readMappedTime = (
  text: string,
  { declared, ...plain }: Omit<TimeColumn, 'column'>,
  onAltered: OnAltered,
): number | null => {
  if (!declared) return readStoredTime(text, plain, onAltered);
  const us = readDeclaredTime(text, { declared, assume_zone: plain.assume_zone });
  return cutToMicros(us, { text, unit: 'iso' }, onAltered);
};

/** Why a text is no time. With a wrong unit in the mapping, that is so in every row. */
export const timeFault = (
  text: string,
  { unit = 'iso', declared, assume_zone: zone }: Omit<TimeColumn, 'column'>,
): Flaw => {
  const wrongUnit = declared ? declaredFault(text, declared) : null;
  if (wrongUnit !== null) return new Flaw(wrongUnit, true);
  if (isOfOtherUnit(text, unit))
    return new Flaw(`not a time from 1980 to 2100 in the unit ${unit} of the mapping`, true);
  return new Flaw(unit === 'iso' && zone === undefined && readTime(text, unit, 'UTC') !== null ? noZone : notWhole);
};

export const notWhole = 'not a whole time';
/** The mapping must say which clock it is. */
const noZone = 'an ISO time without a zone, and the mapping has no assume_zone';

export const timeReader = (source: TimeSource, cellOf: CellOf, onAltered: OnAltered): Reader<number> => {
  if ('from_ticker' in source) {
    const { pattern, zone } = source.from_ticker;
    return ({ ticker }) => tickerTime(ticker, pattern, zone) ?? new Flaw('no time in the ticker');
  }
  if ('before_close' in source) {
    const lengthUs = readDuration(source.before_close) ?? 0;
    return ({ closeUs }) => (closeUs === null ? null : closeUs - lengthUs);
  }
  if ('row_time_plus' in source) return expiryReader(source.row_time_plus, cellOf);
  const cell = cellOf(source.column);
  return ({ cells }) => {
    const text = (cells[cell] ?? '').trim();
    return text === '' ? null : (readMappedTime(text, source, onAltered) ?? timeFault(text, source));
  };
};

/** The row's time plus the time left, rounded to the venue's grid. 0 means no close: it repeats after the close. */
const expiryReader = (
  source: Extract<TimeSource, { row_time_plus: unknown }>['row_time_plus'],
  cellOf: CellOf,
): Reader<number> => {
  const cell = cellOf(source.column);
  const gridUs = readDuration(source.round_to) ?? 1;
  return ({ cells, rowUs }) => {
    const text = (cells[cell] ?? '').trim();
    if (text === '' || rowUs === null) return null;
    const leftUs = readSpan(text, source.unit);
    if (leftUs === null) return new Flaw('the time to expiry is not a duration');
    return leftUs === 0 ? null : Math.round((rowUs + leftUs) / gridUs) * gridUs;
  };
};
