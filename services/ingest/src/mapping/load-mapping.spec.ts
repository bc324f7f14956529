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
  assert.deepEqual(names, ['kalshi-quotes-wide', 'kalshi-settled-markets']);
});

test('each fault of a mapping is told with its line and field', () => {
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
  assert.match(message, /mine\.yaml/);
  assert.match(message, /line 6: fields\.open_ts\.unit /);
  assert.match(message, /line 8: fields\.close_ts\.0\.from_ticker\.zone : is no time zone/);
  assert.match(message, /line 9: fields\.floor_strike\.decimals /);
  assert.match(message, /line 10: fields\.bid is not known here/);
  assert.match(message, /line 11: fields\.result\.pattern : Invalid regular expression/);
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
  assert.match(message, /line 6: fields\.seq : needs the field ts/);
});

test('what is no YAML, empty, or no file is told', async () => {
  assert.match(refusal('a: [1'), /mine\.yaml is no YAML/);
  assert.match(refusal(''), /mine\.yaml is not valid/);
  await assert.rejects(loadMapping('/nowhere/mapping.yaml'), /the mapping \/nowhere\/mapping\.yaml cannot be read/);
});
