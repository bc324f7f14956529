import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { catalogRpc, timeseriesRpc } from '@almanac/contracts';
import { z } from 'zod';
import { accepted, faultsOf } from './testing/validation.samples.js';

const query = z.object({
  limit: z.int().min(1).max(200).default(40),
  from_ts: z.number().nullish(),
  include_book: z.boolean().default(false),
  category: z.string().nullish(),
});
describe('a query parameter', () => {
  const intMsg = 'Input should be a valid integer, unable to parse string as an integer';
  const floatMsg = 'Input should be a valid number, unable to parse string as a number';
  const boolMsg = 'Input should be a valid boolean, unable to interpret input';
  const refused: [string, string, unknown, object][] = [
    ...['', 'abc', '1.5', '1.', '.0', '1e2', '0x10', '1__0', '_1', '1_', '+-5', '1 0', '٥'].map(
      (text): [string, string, unknown, object] => ['limit', text, text, { type: 'int_parsing', msg: intMsg }],
    ),
    ...['', 'abc', '.', '1e', '1 5', '--1', '0x1', '1__0'].map((text): [string, string, unknown, object] => [
      'from_ts',
      text,
      text,
      { type: 'float_parsing', msg: floatMsg },
    ]),
    ...['nan', 'NaN', 'inf', '-Infinity', '+inf', '1e999'].map((text): [string, string, unknown, object] => [
      'from_ts',
      text,
      text,
      { type: 'finite_number', msg: 'Input should be a finite number' },
    ]),
    ...['', ' true', 'true ', '2', 'wahr'].map((text): [string, string, unknown, object] => [
      'include_book',
      text,
      text,
      { type: 'bool_parsing', msg: boolMsg },
    ]),
    ...['0', '-0', '-5'].map((text): [string, string, unknown, object] => [
      'limit',
      text,
      text,
      { type: 'greater_than_equal', msg: 'Input should be greater than or equal to 1', ctx: { ge: 1 } },
    ]),
    ...['201', '9'.repeat(400)].map((text): [string, string, unknown, object] => [
      'limit',
      text,
      text,
      { type: 'less_than_equal', msg: 'Input should be less than or equal to 200', ctx: { le: 200 } },
    ]),
  ];
  for (const [name, text, input, expected] of refused) {
    it(`${name}=${JSON.stringify(text.slice(0, 20))} is refused like in the reference`, () => {
      const given = { query: `${name}=${encodeURIComponent(text)}` };
      assert.deepEqual(faultsOf({ query }, given), [{ ...expected, loc: ['query', name], input }]);
    });
  }
  const taken: [string, string, unknown][] = [
    ['limit', '1.0', 1],
    ['limit', '+5', 5],
    ['limit', ' 5 ', 5],
    ['limit', '1_0', 10],
    ['limit', '007', 7],
    ['from_ts', '1e5', 100_000],
    ['from_ts', '.5', 0.5],
    ['from_ts', '5.', 5],
    ['from_ts', ' 1.5 ', 1.5],
    ['from_ts', '+1.5', 1.5],
    ['from_ts', '-1', -1],
    ...['true', '1', 'YES', 'on', 'T', 'y'].map((word): [string, string, unknown] => ['include_book', word, true]),
    ...['false', '0', 'No', 'OFF', 'f', 'N'].map((word): [string, string, unknown] => ['include_book', word, false]),
  ];
  for (const [name, text, value] of taken) {
    it(`${name}=${JSON.stringify(text)} is ${JSON.stringify(value)}`, () => {
      const given = accepted({ query }, { query: `${name}=${encodeURIComponent(text)}` });
      assert.deepEqual({ ...given.query }, { limit: 40, include_book: false, [name]: value });
    });
  }
  it('of -0 is 0', () => {
    const offset = catalogRpc.search.input.pick({ offset: true });
    assert.ok(Object.is(accepted({ query: offset }, { query: 'offset=-0' }).query.offset, 0));
  });
  it('that is empty is no filter, and an unknown one is ignored', () => {
    assert.deepEqual(accepted({ query }, { query: 'category=&x=1&__proto__=2' }).query, {
      limit: 40,
      include_book: false,
    });
  });
  it('that is repeated takes and validates its last value', () => {
    assert.deepEqual(accepted({ query }, { query: 'limit=abc&limit=7' }).query, { limit: 7, include_book: false });
    assert.equal(faultsOf({ query }, { query: 'limit=7&limit=abc' }).length, 1);
  });
  it('is decoded like a form', () => {
    assert.equal(accepted({ query }, { query: 'category=a+b%2Bc%20d%C3%A4' }).query.category, 'a b+c dä');
  });
  it('is reported with all other faults, in the order of the schema and not of the URL', () => {
    const { input } = timeseriesRpc.snapshots;
    const picked = input.pick({ start_ts: true, end_ts: true, limit: true, step_ms: true });
    const faults = faultsOf({ query: picked }, { query: 'step_ms=60001&limit=0&end_ts=x&start_ts=y' });
    assert.deepEqual(
      faults.map(({ loc }) => loc[1]),
      ['start_ts', 'end_ts', 'limit', 'step_ms'],
    );
  });
});
