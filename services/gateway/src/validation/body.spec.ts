import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportCreateRequest } from '@almanac/contracts';
import { z } from 'zod';
import { accepted, faultsOf, sent } from './testing/validation.samples.js';

const body = exportCreateRequest.extend({ day: z.iso.date().nullish() });
const cart = z.object({ event: z.string().min(1).max(120) });
const upgrade = z.object({ tier_id: z.enum(['pro', 'full_book']) });

describe('a request body', () => {
  const missing = [{ type: 'missing', loc: ['body'], msg: 'Field required', input: null }];
  const noObject = (input: unknown) => [
    {
      type: 'model_attributes_type',
      loc: ['body'],
      msg: 'Input should be a valid dictionary or object to extract fields from',
      input,
    },
  ];
  it('that is absent, empty or null is missing, and {} is present', () => {
    assert.deepEqual(faultsOf({ body }, {}), missing);
    assert.deepEqual(faultsOf({ body }, sent('')), missing);
    assert.deepEqual(faultsOf({ body }, sent('null')), missing);
    assert.deepEqual(accepted({ body }, sent('{}')).body, {
      streams: ['snapshots', 'settlement'],
      format: 'csv',
      split: 'none',
      numbers: 'decimal',
      csv_formulas: 'keep',
      use_free_credit: true,
    });
  });
  it('that is no object is reported with its value, and with its text when its type is not JSON', () => {
    assert.deepEqual(faultsOf({ body }, sent('[]')), noObject([]));
    assert.deepEqual(faultsOf({ body }, sent('"x"')), noObject('x'));
    assert.deepEqual(faultsOf({ body }, sent('5')), noObject(5));
    assert.deepEqual(faultsOf({ body }, sent('{}', 'text/plain')), noObject('{}'));
    const without = { body: { bytes: Buffer.from('{"a":1}'), contentType: undefined } };
    assert.deepEqual(faultsOf({ body }, without), noObject('{"a":1}'));
    assert.deepEqual(faultsOf({ body }, sent('{}', 'application/jsonx')), noObject('{}'));
  });
  it('may have any JSON media type', () => {
    for (const type of ['application/json; charset=utf-8', 'Application/JSON', 'application/vnd.api+json']) {
      assert.ok('body' in accepted({ body }, sent('{}', type)));
    }
  });

  const broken: [string, number, string][] = [
    ['{', 1, 'Expecting property name enclosed in double quotes'],
    ['{"event":}', 9, 'Expecting value'],
    ['{"event"}', 8, "Expecting ':' delimiter"],
    ['{"event":1 "b":2}', 11, "Expecting ',' delimiter"],
    ['{"event":1,}', 11, 'Expecting property name enclosed in double quotes'],
    ["{'event':1}", 1, 'Expecting property name enclosed in double quotes'],
    ['{} x', 3, 'Extra data'],
    ['{"event":"abc', 9, 'Unterminated string starting at'],
    ['{"event":"a\nb"}', 11, 'Invalid control character at'],
    ['{"event":"😀" 1}', 13, "Expecting ',' delimiter"],
    ['{"event":NaN}', 9, 'Expecting value'],
    ['{"event":-Infinity}', 9, 'Expecting value'],
    ['{"event":01}', 10, "Expecting ',' delimiter"],
    ['{"event":1.}', 10, "Expecting ',' delimiter"],
    ['{"event":"\\x"}', 10, 'Invalid \\escape'],
    ['{"event":"\\u12g4"}', 11, 'Invalid \\uXXXX escape'],
    ['{"event":"\\ud800"}', 10, 'Expecting value'],
    ['{"event":"\\udc00\\ud800"}', 10, 'Expecting value'],
    ['[1,]', 3, 'Expecting value'],
    ['[1', 2, "Expecting ',' delimiter"],
    ['nul', 0, 'Expecting value'],
    ['  ', 2, 'Expecting value'],
    ['[[[', 3, 'Expecting value'],
    ['['.repeat(100_000), 500, 'Expecting value'],
    [`${'['.repeat(100_000)}${']'.repeat(100_000)}`, 500, 'Expecting value'],
  ];
  for (const [text, offset, error] of broken) {
    it(`${JSON.stringify(text.slice(0, 30))} is invalid JSON at ${offset}: ${error}`, () => {
      const expected = {
        type: 'json_invalid',
        loc: ['body', offset],
        msg: 'JSON decode error',
        input: {},
        ctx: { error },
      };
      assert.deepEqual(faultsOf({ body }, sent(text)), [expected]);
    });
  }
  it('that is not UTF-8 is invalid JSON at its first bad byte', () => {
    const bytes = Buffer.concat([Buffer.from('{"é":"'), Buffer.of(0xff), Buffer.from('"}')]);
    const [fault] = faultsOf({ body }, sent(bytes));
    assert.deepEqual([fault?.type, fault?.loc], ['json_invalid', ['body', 6]]);
  });
  it('may begin with a BOM and contain surrogate pairs', () => {
    assert.equal(accepted({ body }, { ...sent('\ufeff{"event":"\\ud83d\\ude00"}') }).body.event, '😀');
  });
});

describe('a field of a body', () => {
  const literal = (expected: string) => ({
    type: 'literal_error',
    msg: `Input should be ${expected}`,
    ctx: { expected },
  });
  const day = (error: string) => ({
    type: 'date_parsing',
    msg: `Input should be a valid date in the format YYYY-MM-DD, ${error}`,
    ctx: { error },
  });
  const formats = literal("'csv', 'parquet', 'json', 'jsonl.gz', 'hftbacktest' or 'tardis_csv'");
  const text = { type: 'string_type', msg: 'Input should be a valid string' };
  const noList = { type: 'list_type', msg: 'Input should be a valid list' };
  const cases: [z.ZodObject, object, (string | number)[], unknown, object][] = [
    [cart, {}, ['event'], {}, { type: 'missing', msg: 'Field required' }],
    [cart, { other: 1 }, ['event'], { other: 1 }, { type: 'missing', msg: 'Field required' }],
    [cart, { event: null }, ['event'], null, text],
    [cart, { event: 5 }, ['event'], 5, text],
    [
      cart,
      { event: '' },
      ['event'],
      '',
      { type: 'string_too_short', msg: 'String should have at least 1 character', ctx: { min_length: 1 } },
    ],
    [
      cart,
      { event: 'x'.repeat(121) },
      ['event'],
      'x'.repeat(121),
      { type: 'string_too_long', msg: 'String should have at most 120 characters', ctx: { max_length: 120 } },
    ],
    [upgrade, { tier_id: 'free' }, ['tier_id'], 'free', literal("'pro' or 'full_book'")],
    [body, { event: 5 }, ['event'], 5, text],
    [body, { event: ['a'] }, ['event'], ['a'], text],
    [body, { format: 'xml' }, ['format'], 'xml', formats],
    [body, { format: null }, ['format'], null, formats],
    [body, { format: { a: 1 } }, ['format'], { a: 1 }, formats],
    [body, { streams: null }, ['streams'], null, noList],
    [body, { streams: 'l2' }, ['streams'], 'l2', noList],
    [
      body,
      { streams: [] },
      ['streams'],
      [],
      {
        type: 'too_short',
        msg: 'List should have at least 1 item after validation, not 0',
        ctx: { field_type: 'List', min_length: 1, actual_length: 0 },
      },
    ],
    [
      body,
      { events: Array.from({ length: 101 }, () => 'E') },
      ['events'],
      Array.from({ length: 101 }, () => 'E'),
      {
        type: 'too_long',
        msg: 'List should have at most 100 items after validation, not 101',
        ctx: { field_type: 'List', max_length: 100, actual_length: 101 },
      },
    ],
    [
      body,
      { streams: ['l2', 7] },
      ['streams', 1],
      7,
      literal("'snapshots', 'settlement', 'l2', 'trades', 'sizes' or 'candles'"),
    ],
    [body, { day: '2026-02-30' }, ['day'], '2026-02-30', day('day value is outside expected range')],
    [body, { day: '2025-02-29' }, ['day'], '2025-02-29', day('day value is outside expected range')],
    [body, { day: '2026-13-01' }, ['day'], '2026-13-01', day('month value is outside expected range of 1-12')],
    [body, { day: '2026-1-1' }, ['day'], '2026-1-1', day('input is too short')],
    [
      body,
      { day: '2026-01-01T00:00' },
      ['day'],
      '2026-01-01T00:00',
      day('unexpected extra characters at the end of the input'),
    ],
    [body, { day: '2026/01/01' }, ['day'], '2026/01/01', day('invalid date separator, expected `-`')],
    [body, { day: 20_260_101 }, ['day'], 20_260_101, text],
  ];
  for (const [schema, value, loc, input, expected] of cases) {
    it(`${JSON.stringify(value).slice(0, 40)} is refused like in the reference`, () => {
      const faults = faultsOf({ body: schema }, sent(JSON.stringify(value)));
      assert.deepEqual(faults, [{ ...expected, loc: ['body', ...loc], input }]);
    });
  }
  it('is reported with all other faults, in the order of the schema', () => {
    const faults = faultsOf({ body }, sent('{"format":1,"streams":["x","y"],"event":2}'));
    assert.deepEqual(
      faults.map(({ loc }) => loc.join('.')),
      ['body.event', 'body.streams.0', 'body.streams.1', 'body.format'],
    );
  });
  it('counts characters as people do, so 120 emoji pass', () => {
    assert.ok('body' in accepted({ body: cart }, sent(JSON.stringify({ event: '😀'.repeat(120) }))));
    assert.equal(faultsOf({ body: cart }, sent(JSON.stringify({ event: '😀'.repeat(121) }))).length, 1);
  });
  it('is absent when it is null or empty and that is allowed, and repeated streams count once', () => {
    const given = accepted({ body }, sent('{"event":"","ticker":null,"day":"","streams":["l2","l2"],"unknown":1}'));
    assert.deepEqual(given.body, {
      streams: ['l2'],
      format: 'csv',
      split: 'none',
      numbers: 'decimal',
      csv_formulas: 'keep',
      use_free_credit: true,
    });
  });
  it('of the prototype is ignored', () => {
    assert.equal(faultsOf({ body: z.object({ constructor: z.string() }) }, sent('{}')).length, 1);
  });
});
