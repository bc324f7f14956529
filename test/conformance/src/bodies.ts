import { type Case, type Expected, long } from './parameters.js';
import type { Item } from './shape.js';

/** A body and the expected answer. */
export interface BodyRows {
  readonly method: 'POST';
  readonly path: string;
}

export const bodyCase = (
  at: BodyRows,
  name: string,
  { body, expected, headers }: { body?: string | Uint8Array; expected: Expected; headers?: Record<string, string> },
): Case => ({
  name,
  request: { ...at, ...(body === undefined ? {} : { body }), ...(headers && { headers }) },
  expected,
});

const missing: Item = { type: 'missing', loc: ['body'], msg: 'Field required', input: null };

const noObject = (input: unknown): Item => ({
  type: 'model_attributes_type',
  loc: ['body'],
  msg: 'Input should be a valid dictionary or object to extract fields from',
  input,
});

const noJson = (offset: number, error: string): Item => ({
  type: 'json_invalid',
  loc: ['body', offset],
  msg: 'JSON decode error',
  input: {},
  ctx: { error },
});

/** Text, the code point where Python's decoder stops, and its message. The last ones are deliberately stricter. */
const noJsonAt: readonly (readonly [string, number, string])[] = [
  ['{', 1, 'Expecting property name enclosed in double quotes'],
  ['{"a":}', 5, 'Expecting value'],
  ['{"a"}', 4, "Expecting ':' delimiter"],
  ['{"a":1 "b":2}', 7, "Expecting ',' delimiter"],
  ["{'a':1}", 1, 'Expecting property name enclosed in double quotes'],
  ['{"a":1}}', 7, 'Extra data'],
  ['{"a":1} {"a":1}', 8, 'Extra data'],
  ['{"a":"x', 5, 'Unterminated string starting at'],
  ['{"a":"x\ny"}', 7, 'Invalid control character at'],
  ['{"a":"x\0y"}', 7, 'Invalid control character at'],
  ['{"日本":"💥" 1}', 10, "Expecting ',' delimiter"],
  ['[1,]', 3, 'Expecting value'],
  ['[1', 2, "Expecting ',' delimiter"],
  ['x', 0, 'Expecting value'],
  ['undefined', 0, 'Expecting value'],
  ['<a/>', 0, 'Expecting value'],
  ['a=1&b=2', 0, 'Expecting value'],
  ['   ', 3, 'Expecting value'],
  ['{"a":01}', 6, "Expecting ',' delimiter"],
  ['{"a":.5}', 5, 'Expecting value'],
  ['{"a":tru}', 5, 'Expecting value'],
  ['{"a":NaN}', 5, 'Expecting value'],
  ['{"a":Infinity}', 5, 'Expecting value'],
  ['{"a":"\\ud800"}', 6, 'Expecting value'],
  ['['.repeat(100_000), 500, 'Expecting value'],
  [`{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`, 504, 'Expecting value'],
];

const jsonTypes = [
  'application/json',
  'APPLICATION/JSON',
  'application/json; charset=utf-8',
  'application/problem+json',
];
const otherTypes = [
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'text/json',
  '*/*',
  'json',
];

/** The answers of every endpoint with a body to invalid bodies. `good` is a valid one. */
export const noBodies = (at: BodyRows, good: { readonly body: string; readonly expected: Expected }): Case[] => {
  const one = (name: string, body: string | Uint8Array | undefined, ...items: Item[]): Case =>
    bodyCase(at, name, { ...(body === undefined ? {} : { body }), expected: { items } });
  const typed = (type: string, expected: Expected): Case =>
    bodyCase(at, `content type ${type || '(none)'}`, { body: good.body, expected, headers: { 'content-type': type } });
  const badByte = Buffer.concat([Buffer.from('{"é":"'), Buffer.of(0xff), Buffer.from('"}')]);
  return [
    one('no body', undefined, missing),
    one('an empty body', '', missing),
    one('null', 'null', missing),
    ...[[], [1], 'x', 5, true, ''].map((value) => one(JSON.stringify(value), JSON.stringify(value), noObject(value))),
    ...noJsonAt.map(([text, offset, error]) =>
      one(`body ${JSON.stringify(text.slice(0, 30))}`, text, noJson(offset, error)),
    ),
    one('a byte that is not UTF-8', badByte, noJson(6, 'Expecting value')),
    bodyCase(at, 'a body behind a BOM', { body: `\ufeff${good.body}`, expected: good.expected }),
    ...jsonTypes.map((type) => typed(type, good.expected)),
    ...otherTypes.map((type) => typed(type, { items: [noObject(good.body)] })),
    typed('', { items: [noObject(good.body)] }),
  ];
};

/** A row of a body: a field, and for each value the expected item without its location, or the accepted value. */
export type FieldCase = readonly [value: unknown, expected: Omit<Item, 'loc' | 'input'> | Expected];

/** The cases of one field. `otherFields` is the rest of the body. */
export const fieldCases = (
  at: BodyRows,
  { name, otherFields = {} }: { name: string; otherFields?: object },
  rows: readonly FieldCase[],
): Case[] =>
  rows.map(([value, expectedItem]) => {
    const written = JSON.stringify(value);
    const title = `${name}: ${written.length > 40 ? `${written.slice(0, 40)}… (${written.length})` : written}`;
    const expected =
      'msg' in expectedItem ? { items: [{ ...expectedItem, loc: ['body', name], input: value }] } : expectedItem;
    return bodyCase(at, title, { body: JSON.stringify({ ...otherFields, [name]: value }), expected });
  });

/** A name that the endpoint does not know, and none of its own that is similar. */
export const extra = (loc: Item['loc'], input: unknown, known: readonly string[]): Item => ({
  type: 'extra_forbidden',
  loc,
  msg: `Extra inputs are not permitted. ${known.length === 0 ? 'This endpoint has none.' : `Known: ${known.join(', ')}.`}`,
  input,
  ctx: { known },
});

export const words = {
  noText: { type: 'string_type', msg: 'Input should be a valid string' },
  noTruth: { type: 'bool_type', msg: 'Input should be a valid boolean' },
  unclearTruth: { type: 'bool_parsing', msg: 'Input should be a valid boolean, unable to interpret input' },
  noList: { type: 'list_type', msg: 'Input should be a valid list' },
  shorter: (min: number) => ({
    type: 'string_too_short',
    msg: `String should have at least ${min} character${min === 1 ? '' : 's'}`,
    ctx: { min_length: min },
  }),
  longer: (max: number) => ({
    type: 'string_too_long',
    msg: `String should have at most ${max} characters`,
    ctx: { max_length: max },
  }),
  none: (expected: string) => ({ type: 'literal_error', msg: `Input should be ${expected}`, ctx: { expected } }),
  noDay: (error: string) => ({
    type: 'date_parsing',
    msg: `Input should be a valid date in the format YYYY-MM-DD, ${error}`,
    ctx: { error },
  }),
  fromDay: (ge: string) => ({
    type: 'greater_than_equal',
    msg: `Input should be greater than or equal to ${ge}`,
    ctx: { ge },
  }),
  untilDay: (le: string) => ({
    type: 'less_than_equal',
    msg: `Input should be less than or equal to ${le}`,
    ctx: { le },
  }),
  longList: (max: number, actual: number) => ({
    type: 'too_long',
    msg: `List should have at most ${max} items after validation, not ${actual}`,
    ctx: { field_type: 'List', max_length: max, actual_length: actual },
  }),
  emptyList: {
    type: 'too_short',
    msg: 'List should have at least 1 item after validation, not 0',
    ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
  },
};

export const dayFaults: readonly (readonly [string, string])[] = [
  ['2026-02-30', 'day value is outside expected range'],
  ['2026-02-31', 'day value is outside expected range'],
  ['2025-02-29', 'day value is outside expected range'],
  ['2026-01-00', 'day value is outside expected range'],
  ['2026-00-01', 'month value is outside expected range of 1-12'],
  ['2026-13-01', 'month value is outside expected range of 1-12'],
  ['2026-1-1', 'input is too short'],
  ['x', 'input is too short'],
  ['💥', 'input is too short'],
  ['2026-01-01T00:00:00', 'unexpected extra characters at the end of the input'],
  ['2026-01-01\0', 'unexpected extra characters at the end of the input'],
  [`2026-01-01${long}`, 'unexpected extra characters at the end of the input'],
];
