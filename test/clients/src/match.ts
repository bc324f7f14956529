import { inspect, isDeepStrictEqual } from 'node:util';

/** Types that a scenario can name instead of a value. A `?` at the end also allows null. */
const types: Readonly<Record<string, (value: unknown) => boolean>> = {
  any: () => true,
  text: (value) => typeof value === 'string' && value !== '',
  number: (value) => typeof value === 'number',
  boolean: (value) => typeof value === 'boolean',
  list: (value) => Array.isArray(value),
  empty: (value) => Array.isArray(value) && value.length === 0,
  object: (value) => isObject(value),
  sha256: (value) => typeof value === 'string' && /^[0-9a-f]{64}$/.test(value),
};

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/**
 * How a value differs from an expected shape, each as a sentence. `~number` is any number; an object needs at least the
 * named fields; a list of one element describes every item of a list that is not empty; other values must be equal.
 */
export const differences = (value: unknown, expected: unknown, place = 'the result'): string[] => {
  if (typeof expected === 'string' && expected.startsWith('~')) return ofType(value, expected.slice(1), place);
  if (Array.isArray(expected)) return ofList(value, expected, place);
  if (isObject(expected)) {
    if (!isObject(value)) return [`${place} is ${shown(value)}, not an object`];
    return Object.entries(expected).flatMap(([name, inner]) => differences(value[name], inner, `${place}.${name}`));
  }
  return isDeepStrictEqual(value, expected) ? [] : [`${place} is ${shown(value)}, not ${shown(expected)}`];
};

const ofType = (value: unknown, name: string, place: string): string[] => {
  if (name.endsWith('?') && value === null) return [];
  const fits = types[name.replace(/\?$/, '')];
  if (fits === undefined) throw new Error(`A scenario has the unknown type ~${name}.`);
  return fits(value) ? [] : [`${place} is ${shown(value)}, not ${name}`];
};

const ofList = (value: unknown, expected: readonly unknown[], place: string): string[] => {
  if (!Array.isArray(value)) return [`${place} is ${shown(value)}, not a list`];
  if (expected.length === 1) {
    if (value.length === 0) return [`${place} is an empty list`];
    return value.flatMap((item, at) => differences(item, expected[0], `${place}[${at}]`)).slice(0, 5);
  }
  if (value.length !== expected.length) return [`${place} has ${value.length} items, not ${expected.length}`];
  return expected.flatMap((item, at) => differences(value[at], item, `${place}[${at}]`));
};

const shown = (value: unknown): string => inspect(value, { breakLength: Infinity }).slice(0, 200);
