import type { JsonObject, RecordSource, Table, TypedRows } from '../source.js';

/** Records of a file with typed columns. */
export type TableSource = RecordSource & { readonly table: Table };

export const batchRows = 2_048;

/** Integers beyond a binary float stay text, as in JSON. */
export const integerOf = (value: bigint): number | string => {
  const number = Number(value);
  return Number.isSafeInteger(number) ? number : String(value);
};

/** A binary float of 32 bits by the shortest decimal that only it has. */
export const shortestOf32Bits = (value: number): number => {
  for (let digits = 6; digits < 9; digits += 1) {
    const short = Number(value.toPrecision(digits));
    if (Math.fround(short) === value) return short;
  }
  return Number(value.toPrecision(9));
};

/** NaN is what data frames write for a missing number. */
export const floatOf = (value: number): number | string | null =>
  Number.isFinite(value) ? value : Number.isNaN(value) ? null : String(value);

/** An integer with its point moved to the left. */
export const decimalText = (unscaled: bigint, scale: number): string => {
  if (scale <= 0) return String(unscaled * 10n ** BigInt(-scale));
  const sign = unscaled < 0n ? '-' : '';
  const digits = String(unscaled < 0n ? -unscaled : unscaled).padStart(scale + 1, '0');
  return `${sign}${digits.slice(0, -scale)}.${digits.slice(-scale)}`;
};

const unitsPerSecond = { s: 1n, ms: 1_000n, us: 1_000_000n, ns: 1_000_000_000n } as const;
const decimalsOf = { s: 0, ms: 3, us: 6, ns: 9 } as const;
const secondsMax = 8_640_000_000_000;

/** Writes times as ISO texts in UTC with all of their digits. Neighbouring times share their minute. */
export const timeWriter = (unit: keyof typeof unitsPerSecond): ((value: bigint) => string) => {
  const [perSecond, decimals] = [unitsPerSecond[unit], decimalsOf[unit]];
  let [minute, minuteText] = [NaN, ''];
  return (value) => {
    let [seconds, fraction] = [Number(value / perSecond), Number(value % perSecond)];
    if (fraction < 0) [seconds, fraction] = [seconds - 1, fraction + Number(perSecond)];
    if (Math.abs(seconds) > secondsMax) return String(value);
    const newMinute = Math.floor(seconds / 60);
    if (newMinute !== minute) {
      minute = newMinute;
      minuteText = new Date(minute * 60_000).toISOString().slice(0, -8);
    }
    const second = String(seconds - minute * 60).padStart(2, '0');
    return `${minuteText}:${second}${decimals === 0 ? '' : `.${String(fraction).padStart(decimals, '0')}`}Z`;
  };
};

export const dayText = (days: number): string =>
  Math.abs(days) > secondsMax / 86_400 ? String(days) : new Date(days * 86_400_000).toISOString().slice(0, -14);

/** The time of the day. */
export const clockText = (value: bigint, unit: 'ms' | 'us' | 'ns'): string => timeWriter(unit)(value).slice(11, -1);

/** Rows as JSON lines, for recordings of frames. Long integers stay numbers. */
export async function* linesOf({ table, blocks }: TableSource): AsyncGenerator<string, void, undefined> {
  const integers = new Set(table.columns.filter(({ type }) => /int/i.test(type)).map(({ name }) => name));
  const exact = (key: string, value: unknown): unknown =>
    typeof value === 'string' && integers.has(key) && /^-?\d+$/.test(value) ? `\0${value}` : value;
  const lineOf = (value: JsonObject): string => JSON.stringify(value, exact).replaceAll(/"\\u0000(-?\d+)"/g, '$1');
  for await (const { records } of blocks()) yield records.map(({ value }) => `${lineOf(value)}\n`).join('');
}

/** Counts the binary floats of records. */
export const floatCounter = () => {
  const counts = new Map<string, number>();
  const add = (column: string, floats: number): void => {
    if (floats > 0) counts.set(column, (counts.get(column) ?? 0) + floats);
  };
  return {
    counts,
    count: (records: readonly { readonly value: JsonObject }[], columns: readonly string[]): void => {
      for (const column of columns)
        add(
          column,
          floatsIn(records.length, (row) => records[row]?.value[column]),
        );
    },
    countColumns: (columns: TypedRows['columns'], names: readonly string[]): void => {
      for (const name of names) {
        const values = columns.get(name)?.values;
        if (values)
          add(
            name,
            floatsIn(values.length, (row) => values[row]),
          );
      }
    },
  };
};

const floatsIn = (count: number, valueOf: (row: number) => unknown): number => {
  let floats = 0;
  for (let row = 0; row < count; row += 1) {
    const value = valueOf(row);
    if (typeof value === 'number' && !Number.isInteger(value)) floats += 1;
  }
  return floats;
};
