import assert from 'node:assert/strict';
import { test } from 'node:test';
import { ImportError } from '../errors.js';
import { loadBuiltInMappings, loadMapping, parseMapping } from './load-mapping.js';

const lines = (...text: string[]): string => text.join('\n');

const refusal = (text: string): string => {
  try {
    parseMapping(text, 'mine.yaml');
  } catch (error) {
    assert.ok(error instanceof ImportError);
    return error.message;
  }
  return assert.fail('the mapping was accepted');
};

test('the mappings that come with the project are valid', async () => {
  const names = (await loadBuiltInMappings()).map((mapping) => mapping.name);
  assert.deepEqual(names, [
    'kalshi-book-depth',
    'kalshi-market-summary',
    'kalshi-quotes-wide',
    'kalshi-raw-books',
    'kalshi-rest-book',
    'kalshi-settled-markets',
    'kalshi-settlement-ledger',
    'polymarket-book-levels',
    'polymarket-raw-books',
    'polymarket-updown-ticks',
  ]);
});

test('each fault of a mapping is reported with its line and field', () => {
  const message = refusal(
    lines(
      'name: mine',
      'format: csv',
      'match: { columns: [a] }',
      'fields:',
      '  ticker: { column: a }',
      '  open_ts: { column: b, unit: minutes }',
      '  close_ts:',
      '    - from_ticker: { zone: Mars/Olympus }',
      '  floor_strike: { column: c, decimals: -1 }',
      '  bid: { column: d }',
      '  result: { column: e, pattern: "(" }',
    ),
  );
  assert.deepEqual(message.split('\n  '), [
    'The mapping mine.yaml is not valid:',
    'line 6: fields.open_ts.unit must be one of s, ms, us, ns, iso',
    'line 8: fields.close_ts.0.from_ticker.zone must be a time zone, such as America/New_York',
    'line 9: fields.floor_strike.decimals must be at least 0',
    'line 10: unknown key bid in fields',
    'line 11: fields.result.pattern is not a valid regular expression: /(/: Unterminated group',
  ]);
});

test('a missing, an unknown and an empty key, and a value of another type, are reported in the words of the file', () => {
  const message = refusal(
    lines(
      'format: xml',
      'match:',
      '  colums: [a]',
      'colour: red',
      'fields:',
      '  ticker: { column: a }',
      '  ts: { column: b, unit: min }',
      '  seq: 5',
      '  title: []',
      '  result: { constant: "" }',
      '  floor_strike: { constant: 5 }',
      '  close_ts: [{ column: a, unit: s }, { column: b, unit: minutes }]',
      '  coin_price: { column: a, decimals: 1.5 }',
      '  series: { column: a, values: { 1: 2 } }',
      '  settlement_ts: { before_close: soon }',
      'refuse_when:',
    ),
  );
  assert.deepEqual(message.split('\n  '), [
    'The mapping mine.yaml is not valid:',
    'line 1: name is missing',
    'line 1: format must be one of csv, jsonl, json, parquet, arrow, sqlite',
    'line 3: match.columns is missing',
    'line 3: unknown key colums in match',
    'line 4: unknown key colour',
    'line 7: fields.ts.unit must be one of s, ms, us, ns, iso',
    'line 8: fields.seq must be a map of keys and values',
    'line 9: fields.title is empty',
    'line 10: fields.result.constant is empty',
    'line 11: fields.floor_strike.constant must be text in quotes',
    'line 12: fields.close_ts.1.unit must be one of s, ms, us, ns, iso',
    'line 13: fields.coin_price.decimals must be a whole number',
    'line 14: fields.series.values.1 must be text in quotes',
    'line 15: fields.settlement_ts.before_close must be a duration, such as 30s, 15m or 1h',
    'line 16: refuse_when is empty',
  ]);
});

test('a column of observations without a time is refused', () => {
  const message = refusal(
    lines(
      'name: mine',
      'format: csv',
      'match: { columns: [a] }',
      'fields:',
      '  ticker: { column: a }',
      '  seq: { column: s }',
    ),
  );
  assert.match(message, /line 6: fields\.seq needs the field ts/);
});

test('invalid YAML, an empty file and a missing file are reported', async () => {
  assert.match(
    refusal(lines('a: 1', 'b: [1', 'c: 2')),
    /^The mapping mine\.yaml is not valid YAML: line 3: [^\n]+ end with a \]$/,
  );
  assert.match(refusal(lines('a: 1', 'a: 2')), /is not valid YAML: line 2: Map keys must be unique$/);
  assert.match(refusal(lines('a: &x 1', 'b: *y')), /is not valid YAML: line 2: \*y has no anchor &y before it$/);
  assert.match(refusal(''), /mine\.yaml is not valid:\n {2}line 1: the mapping is empty$/);
  assert.match(refusal('- 1'), /line 1: the mapping must be a map of keys and values$/);
  await assert.rejects(loadMapping('/nowhere/mapping.yaml'), /The mapping \/nowhere\/mapping\.yaml cannot be read/);
});

test('a time needs a unit, unless the columns of the format state it', () => {
  const text = (format: string): string =>
    `name: x\n${format}match: { columns: [a] }\nfields:\n  ticker: { column: a }\n  open_ts: { column: b }\n  known_ts: { column: c }\n`;
  assert.throws(
    () => parseMapping(text('format: csv\n'), 'x.yaml'),
    /line 6: fields\.open_ts\.unit is missing\n +line 7: fields\.known_ts\.unit is missing/,
  );
  for (const format of ['', 'format: parquet\n']) assert.equal(parseMapping(text(format), 'x.yaml').name, 'x');
});
