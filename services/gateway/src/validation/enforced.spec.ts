import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { accepted, faultsOf, sent } from './testing/validation.samples.js';

/** The type of the first fault of each value, or `accepted`. */
const outcomes = (part: 'query' | 'body', schema: z.ZodType, values: readonly unknown[]): string[] =>
  values.map((value) => {
    const shapes = { [part]: z.object({ field: schema }) };
    const raw =
      part === 'query'
        ? { query: `field=${encodeURIComponent(String(value))}` }
        : sent(JSON.stringify({ field: value }));
    try {
      accepted(shapes, raw);
      return 'accepted';
    } catch {
      return faultsOf(shapes, raw)[0]?.type ?? 'no fault';
    }
  });

describe('request validation enforces', () => {
  const cases: [string, 'query' | 'body', z.ZodType, unknown[], string[]][] = [
    ['z.string()', 'body', z.string(), ['', 5], ['accepted', 'string_type']],
    ['.min()', 'query', z.string().min(2), ['a', 'ab'], ['string_too_short', 'accepted']],
    ['the greatest .min()', 'query', z.string().min(3).min(2), ['ab', 'abc'], ['string_too_short', 'accepted']],
    ['.nonempty()', 'query', z.string().nonempty(), ['', 'a'], ['string_too_short', 'accepted']],
    ['.max()', 'body', z.string().max(2), ['abc', 'ab'], ['string_too_long', 'accepted']],
    ['the least .max()', 'body', z.string().max(2).max(3), ['abc', 'ab'], ['string_too_long', 'accepted']],
    [
      '.length()',
      'body',
      z.string().length(2),
      ['a', 'ab', 'abc'],
      ['string_too_short', 'accepted', 'string_too_long'],
    ],
    ['an aborting .min()', 'body', z.string().min(2, { abort: true }), ['a', 'ab'], ['string_too_short', 'accepted']],
    ['z.iso.date()', 'body', z.iso.date(), ['2026-02-30', '2026-02-28'], ['date_parsing', 'accepted']],
    ['z.number()', 'query', z.number(), ['x', '1.5'], ['float_parsing', 'accepted']],
    [
      'z.number() of a body',
      'body',
      z.number().max(5),
      ['x', '1.5', true, 1.5, 6, {}, []],
      ['float_parsing', 'accepted', 'accepted', 'accepted', 'less_than_equal', 'float_type', 'float_type'],
    ],
    [
      'z.int() of a body',
      'body',
      z.int().min(1),
      ['1.5', '7', 1.5, 7, 0, false, {}],
      ['int_parsing', 'accepted', 'int_from_float', 'accepted', 'greater_than_equal', 'greater_than_equal', 'int_type'],
    ],
    [
      'an array of numbers',
      'body',
      z.array(z.number()),
      [
        [1, 'x'],
        [1, 1],
      ],
      ['float_parsing', 'accepted'],
    ],
    ['.finite()', 'query', z.number().finite(), ['inf', '1'], ['finite_number', 'accepted']],
    ['.gte()', 'query', z.number().gte(1), ['0.5', '1'], ['greater_than_equal', 'accepted']],
    ['.nonnegative()', 'query', z.number().nonnegative(), ['-1', '0'], ['greater_than_equal', 'accepted']],
    ['the greatest .gte()', 'query', z.number().gte(2).gte(1), ['1', '2'], ['greater_than_equal', 'accepted']],
    ['.lte()', 'query', z.number().lte(1), ['1.5', '1'], ['less_than_equal', 'accepted']],
    ['z.int()', 'query', z.int(), ['1.5', '1e2', '7'], ['int_parsing', 'int_parsing', 'accepted']],
    ['z.int() beyond 2^53', 'query', z.int(), ['9'.repeat(20)], ['less_than_equal']],
    ['.int()', 'query', z.number().int(), ['1.5', '7'], ['int_parsing', 'accepted']],
    ['.safe()', 'query', z.number().safe(), ['1.5', '7'], ['int_parsing', 'accepted']],
    [
      'z.int32()',
      'query',
      z.int32(),
      ['2147483648', '-2147483649', '7'],
      ['less_than_equal', 'greater_than_equal', 'accepted'],
    ],
    [
      'z.uint32()',
      'query',
      z.uint32().max(9),
      ['-1', '10', '9'],
      ['greater_than_equal', 'less_than_equal', 'accepted'],
    ],
    ['z.float32()', 'query', z.float32(), ['1e39', '1.5'], ['less_than_equal', 'accepted']],
    ['z.float64()', 'query', z.float64(), ['1e999', '1.5'], ['finite_number', 'accepted']],
    ['z.boolean()', 'query', z.boolean(), ['2', 'yes'], ['bool_parsing', 'accepted']],
    [
      'z.boolean() of a body',
      'body',
      z.boolean(),
      [null, 2, 'yes', true],
      ['bool_type', 'bool_parsing', 'accepted', 'accepted'],
    ],
    ['z.enum()', 'body', z.enum(['a', 'b']), ['c', 'a'], ['literal_error', 'accepted']],
    ['.exclude()', 'body', z.enum(['a', 'b']).exclude(['b']), ['b', 'a'], ['literal_error', 'accepted']],
    ['z.literal()', 'query', z.literal('a'), ['b', 'a'], ['literal_error', 'accepted']],
    [
      'z.literal() of several',
      'body',
      z.literal(['a', 'b']),
      ['c', 5, 'b'],
      ['literal_error', 'literal_error', 'accepted'],
    ],
    ['z.array()', 'body', z.array(z.string()), [{}, [1], ['a']], ['list_type', 'string_type', 'accepted']],
    ['.min() of an array', 'body', z.array(z.string()).min(2), [['a'], ['a', 'b']], ['too_short', 'accepted']],
    ['.max() of an array', 'body', z.array(z.string()).max(1), [['a', 'b'], ['a']], ['too_long', 'accepted']],
    ['.nonempty() of an array', 'body', z.array(z.string()).nonempty(), [[], ['a']], ['too_short', 'accepted']],
    ['a rule of items', 'body', z.array(z.string().max(1)), [['ab'], ['a']], ['string_too_long', 'accepted']],
    [
      'a rule under .optional()',
      'body',
      z.string().max(1).optional(),
      [null, 'ab'],
      ['string_type', 'string_too_long'],
    ],
    [
      'a rule under .nullish()',
      'body',
      z.string().max(1).nullish(),
      [null, '', 'ab'],
      ['accepted', 'accepted', 'string_too_long'],
    ],
    ['a rule under .default()', 'query', z.int().max(3).default(1), ['4', '3'], ['less_than_equal', 'accepted']],
    [
      'a described rule',
      'body',
      z.string().max(1).meta({ description: 'x' }).describe('y'),
      ['ab'],
      ['string_too_long'],
    ],
    ['a branded rule', 'body', z.string().max(1).brand('B'), ['ab'], ['string_too_long']],
  ];
  for (const [name, part, schema, values, expected] of cases) {
    it(name, () => assert.deepEqual(outcomes(part, schema, values), expected));
  }

  it('z.literal() in the words of pydantic', () => {
    assert.deepEqual(faultsOf({ query: z.object({ a: z.literal('x') }) }, { query: 'a=y' }), [
      { type: 'literal_error', loc: ['query', 'a'], msg: "Input should be 'x'", input: 'y', ctx: { expected: "'x'" } },
    ]);
  });
  it('.default() with a new value for each request', () => {
    let calls = 0;
    const query = z.object({ n: z.int().default(() => (calls += 1)), list: z.string().default('a').optional() });
    const first = accepted({ query }, {}).query.n;
    assert.equal(accepted({ query }, {}).query.n > first, true);
    assert.equal(accepted({ query }, {}).query.list, 'a');
    assert.deepEqual(accepted({ query: z.object({ a: z.string().default('x').default('y') }) }, {}).query, { a: 'y' });
  });
});
