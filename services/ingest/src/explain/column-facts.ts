import { rightUnit } from '../mapping/declared-times.js';
import { isFrameText } from '../recordings/frame-envelope.js';
import { readDecimal } from '../values/decimal.js';
import { readTime, type TimeUnit, timeUnits } from '../values/time.js';

/** What the first rows show about a column. */
export interface ColumnFacts {
  readonly name: string;
  /** As the file states it, or as its values look. */
  readonly type: string;
  readonly values: number;
  /** The smallest and the largest value. Texts are compared as texts. */
  readonly range: readonly [string, string] | null;
  /** The units in which every value is a time. Of a typed column of times `iso`. */
  readonly units: readonly TimeUnit[];
  /** Whether every value says its zone, if it is an ISO time. */
  readonly hasZone: boolean;
  readonly isDecimal: boolean;
  readonly isWhole: boolean;
  readonly isList: boolean;
  readonly isWordy: boolean;
  /** Whether every value is a frame of a venue's feed. */
  readonly isFrame: boolean;
  /** The unit in which the values of a column of times would be right, if its own unit is wrong. */
  readonly rightUnit: TimeUnit | null;
}

/** Collects the facts of one column. `declared` is the type that the file states. */
export const columnCollector = (name: string, declared: { readonly type: string; readonly isTime: boolean } | null) => {
  let values = 0;
  let [least, most]: [string | null, string | null] = [null, null];
  let units: readonly TimeUnit[] = timeUnits;
  let [isDecimal, isWhole, isList, isWordy, isFrame] = [true, true, true, true, true];
  let right: TimeUnit | null = null;
  let hasZone = true;
  return {
    see: (given: string): void => {
      const text = given.trim();
      if (text === '') return;
      values += 1;
      if (units.length > 0) units = units.filter((unit) => readTime(text, unit, 'UTC') !== null);
      if (hasZone && units.includes('iso')) hasZone = readTime(text, 'iso') !== null;
      if (isDecimal) isDecimal = readDecimal(text) !== null;
      if (isWhole) isWhole = /^-?\d+$/.test(text);
      if (isList) isList = text.startsWith('[');
      if (isFrame) isFrame = isFrameText(text);
      if (isWordy) isWordy = /^[A-Za-z0-9_.:-]+$/.test(text);
      if (declared?.isTime === true && units.length === 0) right ??= rightUnit(text) ?? null;
      const before = isDecimal ? (a: string, b: string) => Number(a) < Number(b) : (a: string, b: string) => a < b;
      if (least === null || before(text, least)) least = text;
      if (most === null || before(most, text)) most = text;
    },
    facts: (): ColumnFacts => {
      const seen = values > 0;
      const found = {
        units: seen ? units : [],
        isDecimal: seen && isDecimal,
        isWhole: seen && isWhole,
        isList: seen && isList,
        isWordy: seen && isWordy,
        isFrame: seen && isFrame,
      };
      return {
        name,
        values,
        range: least === null || most === null ? null : [shortened(least), shortened(most)],
        ...found,
        hasZone,
        rightUnit: right,
        type: declared?.type ?? seenType(found),
      };
    },
  };
};

const seenType = (found: Pick<ColumnFacts, 'units' | 'isDecimal' | 'isWhole' | 'isList'>): string => {
  if (found.units.includes('iso')) return 'time';
  if (found.isList) return 'list';
  if (found.isWhole) return found.units[0] === undefined ? 'integer' : `integer, a time in ${found.units.join(' or ')}`;
  return found.isDecimal ? 'decimal' : 'text';
};

const textMax = 40;

export const shortened = (text: string): string => (text.length <= textMax ? text : `${text.slice(0, textMax)}…`);
