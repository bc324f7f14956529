import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { createSchemas } from './json-schemas.js';

describe('createSchemas', () => {
  const expressed: [string, z.ZodType, object][] = [
    ['.min() and .max()', z.string().min(1).max(2), { type: 'string', minLength: 1, maxLength: 2 }],
    ['.length()', z.string().length(2), { type: 'string', minLength: 2, maxLength: 2 }],
    ['z.iso.date()', z.iso.date(), { type: 'string', format: 'date' }],
    ['.gt() and .lte()', z.number().gt(1).lte(2), { type: 'number', exclusiveMinimum: 1, maximum: 2 }],
    ['.multipleOf()', z.int().multipleOf(5), { type: 'integer', multipleOf: 5 }],
    ['z.int32()', z.int32(), { type: 'integer', minimum: -2_147_483_648, maximum: 2_147_483_647 }],
    [
      'a length of an array',
      z.array(z.null()).min(1).max(2),
      { type: 'array', items: { type: 'null' }, minItems: 1, maxItems: 2 },
    ],
    ['z.literal()', z.literal('a'), { type: 'string', const: 'a' }],
    [
      'z.record()',
      z.record(z.string().min(1), z.unknown()),
      { type: 'object', propertyNames: { type: 'string', minLength: 1 }, additionalProperties: {} },
    ],
  ];
  for (const [name, schema, expected] of expressed) {
    it(`documents ${name}`, () => assert.deepEqual(createSchemas().of(schema, 'output'), expected));
  }

  const refused: [string, z.ZodType, string][] = [
    ['.refine()', z.string().refine(() => true), '.refine()'],
    ['.superRefine()', z.string().superRefine(() => {}), '.superRefine()'],
    ['.trim()', z.string().trim(), '.trim()'],
    ['the flags of .regex()', z.string().regex(/a/i), '$ZodCheckRegex'],
    ['the host of z.url()', z.url({ hostname: /^a$/ }), 'ZodURL'],
    ['z.stringFormat()', z.stringFormat('even', () => true), 'ZodCustomStringFormat'],
    ['z.iso.time()', z.iso.time(), 'ZodISOTime'],
    [
      'a length of z.union()',
      z.union([z.string(), z.array(z.null())]).check(z.minLength(1)),
      '$ZodCheckMinLength on ZodUnion',
    ],
    ['.refine() of an object', z.object({}).refine(() => true), '.refine()'],
    ['bounds of the keys of z.record()', z.record(z.int().min(5), z.string()), 'keys other than strings'],
    ['.catch()', z.string().catch('a'), 'ZodCatch'],
    ['z.preprocess()', z.preprocess(String, z.string()), 'ZodPreprocess'],
    ['.transform()', z.string().transform(Number), '.transform()'],
    ['.prefault()', z.string().prefault('a'), 'ZodPrefault'],
    ['z.coerce', z.coerce.string(), 'the option "coerce" of ZodString'],
    ['z.file()', z.file(), 'ZodFile'],
    ['z.templateLiteral()', z.templateLiteral(['a']), 'ZodTemplateLiteral'],
  ];
  for (const [name, schema, construct] of refused) {
    it(`never omits ${name} silently`, () => {
      const object = z.object({ outer: z.object({ field: schema }) }).meta({ id: 'Documented' });
      for (const io of ['input', 'output'] as const) {
        // zod refuses `.transform()` itself in output mode.
        if (io === 'output' && name === '.transform()') continue;
        assert.throws(
          () => createSchemas().of(object, io),
          ({ message }: TypeError) =>
            message.includes(construct) && message.includes('"properties.outer.properties.field'),
        );
      }
    });
  }
});
