import { earliestUs, latestUs } from '../values/time.js';
import {
  type Cells,
  type DecimalForm,
  type Dictionary,
  emptyCell,
  scaledMax,
  type TimeForm,
  unreadCell,
} from './cells.js';
import { decimalIn, digitsIn } from './csv-cells.js';
import type { TypedColumn } from './source.js';
import { textTimes } from './text-times.js';

interface Columns {
  readonly count: number;
  readonly columns: readonly TypedColumn[];
  readonly textOf: (value: unknown) => string;
}

/** Columns of a typed file as cells. */
export const columnCells = ({ count, columns, textOf }: Columns): Cells => {
  const textIn = (cell: number, value: unknown): string => textOf(columns[cell]?.shown?.(value) ?? value);
  return {
    count,
    row: (index) => columns.map(({ values }, cell) => textIn(cell, values[index])),
    text: (cell, index) => textIn(cell, columns[cell]?.values[index]),
    codes: (cell, dictionary) => codesOf(columns[cell], { count, dictionary, textOf: (value) => textIn(cell, value) }),
    times: (cell, form) => numbersOf(columns[cell], { count, form, reader: timeReader }),
    decimals: (cell, form) => numbersOf(columns[cell], { count, form, reader: decimalReader }),
    integers: (cell) => numbersOf(columns[cell], { count, form: integerForm, reader: integerReader }),
  };
};

type ReadNumber = (value: unknown) => number;

interface NumberColumn<Form> {
  readonly count: number;
  readonly form: Form;
  readonly reader: (form: Form) => ReadNumber;
}

/** By dictionary, then by form: the number of each of its values. */
const readDictionaries = new WeakMap<readonly unknown[], Map<object, Float64Array>>();

const numbersOf = <Form extends object>(
  column: TypedColumn | undefined,
  { count, form, reader }: NumberColumn<Form>,
): Float64Array => {
  if (!column?.coded)
    return storedDecimals(column, form) ?? numbersIn(column?.stored ?? column?.values ?? [], count, reader(form));
  const { codes, dictionary } = column.coded;
  const known = readDictionaries.get(dictionary) ?? new Map<object, Float64Array>();
  readDictionaries.set(dictionary, known);
  const read = known.get(form) ?? numbersIn(dictionary, dictionary.length + 1, reader(form));
  known.set(form, read);
  const found = new Float64Array(count);
  for (let row = 0; row < count; row += 1) found[row] = read[codes[row] ?? 0] ?? unreadCell;
  return found;
};

const numbersIn = (values: ArrayLike<unknown>, count: number, read: ReadNumber): Float64Array => {
  const found = new Float64Array(count);
  for (let row = 0; row < count; row += 1) {
    const value = values[row];
    found[row] = value === null || value === undefined || value === '' ? emptyCell : read(value);
  }
  return found;
};

/** Decimals from the integers that a file stores. Null: only their texts decide. */
const storedDecimals = (column: TypedColumn | undefined, form: object): Float64Array | null => {
  if (!column?.decimals || !isDecimalForm(form)) return null;
  const { places, stored } = column.decimals;
  if (form.pointLeft !== 0 || form.floatNoise || places > form.decimals || places > form.places) return null;
  const factor = 10 ** (form.places - places);
  const found = new Float64Array(stored.length);
  for (let row = 0; row < found.length; row += 1) {
    const value = stored[row];
    const scaled = typeof value === 'number' || typeof value === 'bigint' ? Number(value) * factor : emptyCell;
    found[row] = (scaled >= 0 && scaled < scaledMax) || scaled === emptyCell ? scaled : unreadCell;
  }
  return found;
};

const isDecimalForm = (form: object): form is DecimalForm => 'floatNoise' in form;

const codesOf = (
  column: TypedColumn | undefined,
  { count, dictionary, textOf }: { count: number; dictionary: Dictionary; textOf: (value: unknown) => string },
): Int32Array => {
  if (column?.coded) return dictionary.codesOf(column.coded, textOf);
  const codes = new Int32Array(count);
  for (let row = 0; row < count; row += 1) codes[row] = dictionary.codeOfValue(column?.values[row] ?? null, textOf);
  return codes;
};

const integerForm = {};
const integerReader = (): ReadNumber => (value) =>
  typeof value === 'string' ? digitsIn(value, 0, value.length) : isCount(value) ? value : unreadCell;

const isCount = (value: unknown): value is number =>
  typeof value === 'number' && Number.isInteger(value) && value >= 0 && value < scaledMax;

const microsOf = { s: 1_000_000, ms: 1_000, us: 1 } as const;

const timeReader = ({ declared, ...form }: TimeForm): ReadNumber => {
  if (declared) return declaredReader(declared, form.assume_zone);
  const { unit = 'iso' } = form;
  const read = textTimes(form);
  const factor = unit === 'iso' || unit === 'ns' ? null : microsOf[unit];
  return (value) => {
    if (typeof value === 'string') return read === null ? unreadCell : read(value, 0, value.length);
    return typeof value === 'number' && factor !== null ? inYears(exactly(value, factor)) : unreadCell;
  };
};

/** Of a column of times, whose values are integers of its unit. */
const declaredReader = (
  { unit, hasZone }: NonNullable<TimeForm['declared']>,
  zone: string | undefined,
): ((value: unknown) => number) => {
  if (!hasZone && zone !== undefined && zone !== 'UTC') return () => unreadCell;
  return (value) => {
    if (typeof value !== 'bigint') return unreadCell;
    if (unit === 'ns') return value % 1_000n === 0n ? inYears(Number(value / 1_000n)) : unreadCell;
    return inYears(Number(value) * microsOf[unit]);
  };
};

const inYears = (us: number): number => (us >= earliestUs && us <= latestUs ? us : unreadCell);

/**
 * A binary float times a power of ten, if its shortest decimal has no more digits than that. Below `scaledMax`, multiples of the
 * power are further apart than floats, so only one of them is the shortest decimal.
 */
const exactly = (value: number, factor: number): number => {
  const scaled = Math.round(value * factor);
  return scaled >= 0 && scaled < scaledMax && scaled / factor === value ? scaled : unreadCell;
};

const plainDecimals = 5;

const decimalReader = (form: DecimalForm): ReadNumber => {
  const { pointLeft, decimals, floatNoise, places } = form;
  // Float noise has more decimals.
  const exactDecimals = floatNoise ? Math.min(decimals, plainDecimals) : decimals;
  const [factor, toPlaces] = [10 ** (exactDecimals - pointLeft), 10 ** (places - exactDecimals)];
  return (value) => {
    if (typeof value === 'string') return decimalIn(value, 0, value.length, form);
    if (typeof value !== 'number' || exactDecimals < pointLeft) return unreadCell;
    const scaled = exactly(value, factor) * toPlaces;
    return scaled < scaledMax ? scaled : unreadCell;
  };
};
