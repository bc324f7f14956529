import type { Item } from './shape.js';
import type { CaseRequest } from './harness.js';
import { long, notFinite, notIntegers, notNumbers, spellings } from './number-texts.js';

/** The expected answer: all items of a 422, the code of another refusal, or 200 with what the answer shows. */
export type Expected =
  | { readonly items: readonly Item[] }
  | { readonly status: number; readonly code: string }
  | { readonly status: 200; readonly shows?: Shows; readonly value?: unknown };

/** Reads the effect of a value from an answer, such as the number of items. */
export type Shows = (body: Shown) => unknown;

/** The fields of any endpoint that rows read. */
export interface Shown {
  readonly [field: string]: unknown;
  readonly count?: number;
  readonly next_cursor?: string | null;
  readonly hits?: readonly { readonly kind: string }[];
  readonly markets?: readonly { readonly ticker: string; readonly rows?: number; readonly trades?: number | null }[];
  readonly events?: readonly { readonly event_ticker: string }[];
  readonly snapshots?: readonly { readonly ts: number }[];
  readonly candles?: readonly { readonly trades: number; readonly volume: number }[];
}

/** One request and its expected answer. */
export interface Case {
  readonly name: string;
  readonly request: CaseRequest;
  readonly expected: Expected;
}

/** A row of the table: a query parameter with its bounds and its cases. */
export interface Parameter {
  readonly name: string;
  readonly cases: readonly Case[];
  /** The expected item for the invalid value `x`. */
  readonly fault: Omit<Item, 'loc'> | undefined;
  /** The expected schema in the published document. */
  readonly published: Readonly<Record<string, unknown>>;
}

/** How a row sends a value, and how the answer shows it. `ask` is the URL without the parameter. */
interface Seen<Value> {
  readonly basePath: string;
  readonly shows?: Shows;
  /** The visible effect of a value, by default the value itself. */
  readonly seen?: (value: Value) => unknown;
  /** The refusal of a value that the parameter accepts by itself. */
  readonly refusal?: (value: Value) => Expected | undefined;
}

export { long };

const shown = (text: string): string => (text.length > 24 ? `${text.slice(0, 24)}… (${text.length})` : text);

export const withQuery = (basePath: string, pairs: readonly (readonly [string, string])[]): string =>
  [basePath, ...pairs.map(([name, value]) => `${name}=${encodeURIComponent(value)}`)].reduce(
    (path, pair) => `${path}${path.includes('?') ? '&' : '?'}${pair}`,
  );

interface Making<Value> {
  readonly name: string;
  readonly seen: Seen<Value>;
  readonly read: (text: string) => Omit<Item, 'loc' | 'input'> | { readonly value: Value };
}

/** The cases of a parameter: each text alone, repeated, and absent. */
const casesOf = <Value>(making: Making<Value>, texts: readonly string[]): Case[] => {
  const { name, seen } = making;
  const [good = '', bad] = [
    texts.find((text) => 'value' in making.read(text)),
    texts.find((text) => 'msg' in making.read(text)),
  ];
  const one = (text: string): Case => ({
    name: `${name}=${JSON.stringify(shown(text))}`,
    request: { path: withQuery(seen.basePath, [[name, text]]) },
    expected: expectedOf(making, text),
  });
  const twice = (first: string, last: string): Case => ({
    name: `${name} repeated, ${JSON.stringify(first)} and then ${JSON.stringify(last)}`,
    request: {
      path: withQuery(seen.basePath, [
        [name, first],
        [name, last],
      ]),
    },
    expected: expectedOf(making, last),
  });
  return [...texts.map(one), ...(bad === undefined ? [] : [twice(bad, good), twice(good, bad)])];
};

const expectedOf = <Value>({ name, read, seen }: Making<Value>, text: string): Expected => {
  const got = read(text);
  if ('msg' in got) return { items: [{ ...got, loc: ['query', name], input: text }] };
  return accepted(seen, got.value);
};

const accepted = <Value>({ shows, seen = (value) => value, refusal }: Seen<Value>, value: Value): Expected =>
  refusal?.(value) ?? (shows === undefined ? { status: 200 } : { status: 200, shows, value: seen(value) });

const absent = <Value>(name: string, seen: Seen<Value>, value: Value | undefined): Case => ({
  name: `without ${name}`,
  request: { path: seen.basePath },
  expected: value === undefined ? { status: 200 } : accepted(seen, value),
});

interface Bounds {
  readonly from: number;
  readonly to: number;
  /** Undefined if the server chooses a value. */
  readonly default: number | undefined;
}

/** An integer between two inclusive bounds. */
export const integer = (name: string, { from, to, default: fallback, ...seen }: Bounds & Seen<number>): Parameter => {
  const msg = 'Input should be a valid integer, unable to parse string as an integer';
  const values = new Map<string, number>([
    ...[from, from + 1, to - 1, to, from - 1, to + 1].map((value) => [String(value), value] as const),
    ...spellings,
  ]);
  const read: Making<number>['read'] = (text) => {
    const value = values.get(text);
    if (value === undefined) return { type: 'int_parsing', msg };
    if (value < from)
      return { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${from}`, ctx: { ge: from } };
    if (value > to)
      return { type: 'less_than_equal', msg: `Input should be less than or equal to ${to}`, ctx: { le: to } };
    return { value };
  };
  const cases = casesOf({ name, seen, read }, [...values.keys(), ...notIntegers]);
  return {
    name,
    cases: [absent(name, seen, fallback), ...cases],
    fault: { type: 'int_parsing', msg, input: 'x' },
    published: { type: 'integer', minimum: from, maximum: to, default: fallback },
  };
};

interface Numbers extends Seen<number | null> {
  /** Valid values, including the bounds. */
  readonly takes: readonly number[];
  readonly from?: number;
  readonly to?: number;
  /** Of the absent parameter: null by default. */
  readonly default?: number | undefined;
}

/** A number, which can have bounds. */
export const number = (name: string, { takes, from, to, ...seen }: Numbers): Parameter => {
  const msg = 'Input should be a valid number, unable to parse string as a number';
  const values = new Map<string, number>([
    ['1e5', 100_000],
    ['.5', 0.5],
    ['5.', 5],
    [' 1.5 ', 1.5],
    ['+1.5', 1.5],
    ['007', 7],
    ...takes.map((value) => [String(value), value] as const),
    ...[from === undefined ? [] : [from - 1, from], to === undefined ? [] : [to, to + 1]]
      .flat()
      .map((value) => [String(value), value] as const),
  ]);
  const read: Making<number | null>['read'] = (text) => {
    const value = values.get(text);
    if (value !== undefined && from !== undefined && value < from)
      return { type: 'greater_than_equal', msg: `Input should be greater than or equal to ${from}`, ctx: { ge: from } };
    if (value !== undefined && to !== undefined && value > to)
      return { type: 'less_than_equal', msg: `Input should be less than or equal to ${to}`, ctx: { le: to } };
    if (value !== undefined) return { value };
    if (notFinite.includes(text)) return { type: 'finite_number', msg: 'Input should be a finite number' };
    return { type: 'float_parsing', msg };
  };
  const cases = casesOf({ name, seen, read }, [...values.keys(), ...notNumbers, ...notFinite]);
  return {
    name,
    cases: [absent(name, seen, 'default' in seen ? seen.default : null), ...cases],
    fault: { type: 'float_parsing', msg, input: 'x' },
    published: { type: 'number', minimum: from, maximum: to, default: undefined },
  };
};

const truths = ['true', '1', 'yes', 'on', 't', 'y', 'TRUE', 'True', 'yEs', 'ON', 'T', 'Y'];
const falsehoods = ['false', '0', 'no', 'off', 'f', 'n', 'FALSE', 'False', 'nO', 'OFF', 'F', 'N'];
const notBooleans = ['', ' ', 'x', ' true', 'true ', '2', '-1', '1.0', '01', 'null', 'wahr', '💥', 'true\0', long];

/** A boolean. False when it is absent. */
export const boolean = (name: string, seen: Seen<boolean>): Parameter => {
  const msg = 'Input should be a valid boolean, unable to interpret input';
  const read: Making<boolean>['read'] = (text) => {
    if (truths.includes(text)) return { value: true };
    return falsehoods.includes(text) ? { value: false } : { type: 'bool_parsing', msg };
  };
  const cases = casesOf({ name, seen, read }, [...truths, ...falsehoods, ...notBooleans]);
  return {
    name,
    cases: [absent(name, seen, false), ...cases],
    fault: { type: 'bool_parsing', msg, input: 'x' },
    published: { type: 'boolean', default: false },
  };
};

interface Filter extends Seen<string> {
  /** An existing value and its visible effect, and the effect without the filter. */
  readonly known: readonly [string, unknown];
  readonly all: unknown;
  /** The effect when nothing matches, by default 0. */
  readonly none?: unknown;
  /** Characters of the longest text. */
  readonly longest?: number;
}

const hostile = [
  'no such',
  '日本語',
  '💥',
  'no\0such',
  "'; DROP TABLE markets; --",
  '%',
  '*',
  '>',
  '\ud800'.toWellFormed(),
  long,
];

/** A filter: any text that is not too long is valid, an empty one has no effect, and the last of repeated ones counts. */
export const filter = (name: string, { known: [known, hits], all, none = 0, longest, ...seen }: Filter): Parameter => {
  const { basePath, shows } = seen;
  const one = (pairs: readonly string[], value: unknown): Case => ({
    name: pairs.map((text) => `${name}=${JSON.stringify(shown(text))}`).join('&') || `without ${name}`,
    request: {
      path: withQuery(
        basePath,
        pairs.map((text) => [name, text] as const),
      ),
    },
    expected: shows === undefined ? { status: 200 } : { status: 200, shows, value },
  });
  const raw = (text: string): Case => {
    const path = `${basePath}${basePath.includes('?') ? '&' : '?'}${name}=${text}`;
    return { name: `${name}=${text} as it is`, request: { path }, expected: one([text], none).expected };
  };
  const cases = [
    one([], all),
    one([''], all),
    one([known], hits),
    one([known, ''], all),
    one(['no such', known], hits),
    one([known, 'no such'], none),
    ...hostile.map((text) => one([text], none)),
    ...['%zz', '%ff', '%'].map(raw),
    ...(longest === undefined ? [] : [tooLong(name, basePath, longest)]),
  ];
  return { name, cases, fault: undefined, published: { type: 'string', minLength: undefined, maxLength: longest } };
};

const tooLong = (name: string, basePath: string, longest: number): Case => {
  const input = 'x'.repeat(longest + 1);
  const msg = `String should have at most ${longest} characters`;
  const item = { type: 'string_too_long', msg, ctx: { max_length: longest }, loc: ['query', name], input };
  return {
    name: `${name} of ${longest + 1} characters`,
    request: { path: withQuery(basePath, [[name, input]]) },
    expected: { items: [item] },
  };
};

interface Choice {
  readonly basePath: string;
  readonly words: readonly string[];
  /** As the message lists the words. */
  readonly listed: string;
  readonly default: string | undefined;
}

/** One of some words, in their own case. */
export const choice = (name: string, { words, listed, default: fallback, basePath }: Choice): Parameter => {
  const seen: Seen<string> = { basePath };
  const fault = { type: 'literal_error', msg: `Input should be ${listed}`, ctx: { expected: listed } };
  const read: Making<string>['read'] = (text) => (words.includes(text) ? { value: text } : fault);
  const cases = casesOf({ name, seen, read }, [...words, ...words.map((word) => word.toUpperCase()), '', ...hostile]);
  return {
    name,
    cases: [absent(name, seen, ''), ...cases],
    fault: { ...fault, input: 'x' },
    published: { type: 'string', enum: words, default: fallback },
  };
};
