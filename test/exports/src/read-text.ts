import assert from 'node:assert/strict';
import { gunzipSync } from 'node:zlib';
import Papa from 'papaparse';
import { z } from 'zod';
import { type Cell, type Kind, kindOf, type Table } from './table.js';

const plainNumber = /^-?(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/;

/** Converts the digits of seconds to exact microseconds. */
const microsOfText = (text: string): number => {
  const [, integerPart, fraction = ''] = /^(\d+)(?:\.(\d{1,6}))?$/.exec(text) ?? [];
  assert.ok(integerPart !== undefined, `${text} is no time`);
  return Number(integerPart) * 1e6 + Number(fraction.padEnd(6, '0'));
};

const numberOfText = (text: string): number => {
  assert.match(text, plainNumber);
  return Number(text);
};

const levels = z.array(z.tuple([z.number(), z.number()]));
export const levelsOfText = (text: string): Cell => levels.parse(JSON.parse(text));

const cellOfText = (text: string, kind: Kind): Cell => {
  if (text === '') return null;
  if (kind === 'text') return text;
  if (kind === 'time') return microsOfText(text);
  return kind === 'book' ? levelsOfText(text) : numberOfText(text);
};

/** Reads CSV with Papa Parse: a header, RFC 4180, numbers without an exponent or superfluous digit. */
export const readCsv = (file: Buffer): Table => {
  const text = utf8(file);
  assert.ok(text.endsWith('\r\n'), 'the last record ends with CR LF');
  const { data, errors } = Papa.parse<string[]>(text.slice(0, -2), { delimiter: ',', newline: '\r\n' });
  assert.deepEqual(errors, []);
  const [columns = [], ...records] = data;
  const kinds = columns.map(kindOf);
  const rows = records.map((record) => {
    assert.equal(record.length, columns.length, `a record of another length: ${record.join()}`);
    return record.map((cell, at) => cellOfText(cell, kinds[at] ?? 'text'));
  });
  return { columns, rows };
};

/** Fails for invalid UTF-8, which a reader would replace with question marks. */
const utf8 = (file: Uint8Array): string => new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(file);

const json: Readonly<Record<Kind, z.ZodType<Cell>>> = {
  text: z.string().nullable(),
  time: z
    .number()
    .nullable()
    .transform((seconds) => (seconds === null ? null : Math.round(seconds * 1e6))),
  integer: z.int().nullable(),
  period: z.int().nullable(),
  price: z.number().nullable(),
  size: z.number().nullable(),
  amount: z.number().nullable(),
  book: levels.nullable(),
};
const object = z.record(z.string(), z.unknown());

/** Requires the same names in the same order in every row, and JSON types. */
const tableOfObjects = (parsed: readonly unknown[], columns: readonly string[]): Table => {
  const kinds = columns.map(kindOf);
  const rows = parsed.map((one) => {
    const entries = Object.entries(object.parse(one));
    assert.deepEqual(
      entries.map(([name]) => name),
      columns,
    );
    return entries.map(([, value], at) => json[kinds[at] ?? 'text'].parse(value));
  });
  return { columns, rows };
};

/** Requires numbers without float noise: 0.51 and not 0.5100000262260437. */
const requirePlainNumbers = (text: string): void => {
  const odd = /[:[,]-?\d+(?:\.\d{9,}|(?:\.\d+)?[eE])/.exec(text);
  assert.equal(odd, null, `${odd?.[0]} is no plain number`);
};

/** Reads JSON with JSON.parse. */
export const readJson = (file: Buffer, columns: readonly string[]): Table => {
  const text = utf8(file);
  requirePlainNumbers(text);
  return tableOfObjects(z.array(z.unknown()).parse(JSON.parse(text)), columns);
};

/** Reads JSON lines with gunzip and JSON.parse. */
export const readJsonLines = (file: Buffer, columns: readonly string[]): Table => {
  const text = utf8(gunzipSync(file));
  assert.ok(text === '' || text.endsWith('\n'), 'the last line is whole');
  requirePlainNumbers(text);
  const lines = text.split('\n').slice(0, -1);
  return tableOfObjects(
    lines.map((line): unknown => JSON.parse(line)),
    columns,
  );
};
