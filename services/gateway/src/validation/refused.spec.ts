import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { type Part, fieldsOf } from './fields.js';

/** A construct that zod does not have. Its definition is that of a string. */
const ZodFuture = z.core.$constructor<z.ZodString>('ZodFuture', (made, definition) =>
  z.ZodString.init(made, definition),
);
const FutureCheck = z.core.$constructor<z.core.$ZodCheck<string>>('$ZodCheckFuture', (made, definition) => {
  z.core.$ZodCheck.init(made, definition);
  made._zod.check = () => {};
});
const conditional = new z.core.$ZodCheckMinLength({ check: 'min_length', minimum: 1, when: () => true });
const withOption = (option: object) => new z.ZodString({ type: 'string', ...option });

const refused: [string, Part, z.ZodType, string][] = [
  ['.regex()', 'query', z.string().regex(/^a/), '$ZodCheckRegex'],
  ['.startsWith()', 'query', z.string().startsWith('a'), '$ZodCheckStartsWith'],
  ['.endsWith()', 'query', z.string().endsWith('a'), '$ZodCheckEndsWith'],
  ['.includes()', 'query', z.string().includes('a'), '$ZodCheckIncludes'],
  ['.lowercase()', 'query', z.string().lowercase(), '$ZodCheckLowerCase'],
  ['.uppercase()', 'query', z.string().uppercase(), '$ZodCheckUpperCase'],
  ['.trim()', 'query', z.string().trim(), '.trim()'],
  ['.toLowerCase()', 'query', z.string().toLowerCase(), '.toLowerCase()'],
  ['.toUpperCase()', 'query', z.string().toUpperCase(), '$ZodCheckOverwrite'],
  ['.normalize()', 'query', z.string().normalize(), '$ZodCheckOverwrite'],
  ['.uuid()', 'path', z.string().uuid(), 'ZodUUID on ZodString'],
  ['.date()', 'body', z.string().date(), 'ZodISODate on ZodString'],
  ['a message of its own', 'body', z.string().min(1, 'no'), 'the option "error" of $ZodCheckMinLength'],
  ['z.string(message)', 'body', z.string('no'), 'the option "error" of ZodString'],
  ['a conditional check', 'body', z.string().check(conditional), 'the option "when" of $ZodCheckMinLength'],
  ['z.uuid()', 'path', z.uuid(), 'ZodUUID'],
  ['z.guid()', 'path', z.guid(), 'ZodGUID'],
  ['z.url()', 'query', z.url(), 'ZodURL'],
  ['z.email()', 'query', z.email(), 'ZodEmail'],
  ['z.emoji()', 'query', z.emoji(), 'ZodEmoji'],
  ['z.nanoid()', 'query', z.nanoid(), 'ZodNanoID'],
  ['z.cuid()', 'query', z.cuid(), 'ZodCUID'],
  ['z.cuid2()', 'query', z.cuid2(), 'ZodCUID2'],
  ['z.ulid()', 'query', z.ulid(), 'ZodULID'],
  ['z.xid()', 'query', z.xid(), 'ZodXID'],
  ['z.ksuid()', 'query', z.ksuid(), 'ZodKSUID'],
  ['z.ipv4()', 'query', z.ipv4(), 'ZodIPv4'],
  ['z.ipv6()', 'query', z.ipv6(), 'ZodIPv6'],
  ['z.mac()', 'query', z.mac(), 'ZodMAC'],
  ['z.cidrv4()', 'query', z.cidrv4(), 'ZodCIDRv4'],
  ['z.cidrv6()', 'query', z.cidrv6(), 'ZodCIDRv6'],
  ['z.base64()', 'query', z.base64(), 'ZodBase64'],
  ['z.base64url()', 'query', z.base64url(), 'ZodBase64URL'],
  ['z.e164()', 'query', z.e164(), 'ZodE164'],
  ['z.jwt()', 'query', z.jwt(), 'ZodJWT'],
  ['z.creditCard()', 'query', z.creditCard(), 'ZodCreditCard'],
  ['z.iban()', 'query', z.iban(), 'ZodIBAN'],
  ['z.property()', 'query', z.string().check(z.property('length', z.int())), '$ZodCheckProperty'],
  ['z.properties()', 'query', z.string().check(z.properties({ length: z.int() })), '$ZodCheckProperties'],
  ['z.hex()', 'query', z.hex(), 'ZodCustomStringFormat'],
  ['z.iso.datetime()', 'query', z.iso.datetime(), 'ZodISODateTime'],
  ['z.iso.time()', 'query', z.iso.time(), 'ZodISOTime'],
  ['z.iso.duration()', 'query', z.iso.duration(), 'ZodISODuration'],
  ['a check on z.iso.date()', 'body', z.iso.date().min(3), '$ZodCheckMinLength on ZodISODate'],
  ['z.templateLiteral()', 'query', z.templateLiteral(['a', z.int()]), 'ZodTemplateLiteral'],
  ['.gt()', 'query', z.number().gt(1), 'an exclusive bound'],
  ['.positive()', 'query', z.int().positive(), 'an exclusive bound'],
  ['.lt()', 'query', z.number().lt(1), 'an exclusive bound'],
  ['.negative()', 'query', z.number().negative(), 'an exclusive bound'],
  ['.multipleOf()', 'query', z.int().multipleOf(5), '$ZodCheckMultipleOf'],
  ['.step()', 'query', z.number().step(5), '$ZodCheckMultipleOf'],
  ['z.nan()', 'query', z.nan(), 'ZodNaN'],
  ['z.bigint()', 'query', z.bigint(), 'ZodBigInt'],
  ['z.int64()', 'query', z.int64(), 'ZodBigIntFormat'],
  ['z.array() of a query', 'query', z.array(z.string()), 'ZodArray in the query'],
  ['.length() of an array', 'body', z.array(z.string()).length(2), '$ZodCheckLengthEquals on ZodArray'],
  ['.refine() of an array', 'body', z.array(z.string()).refine(() => true), '.refine()'],
  ['a refused item', 'body', z.array(z.uuid()), '"field[]" uses ZodUUID'],
  ['a nullish item', 'body', z.array(z.string().nullish()), 'an item that may be left out'],
  ['an item with a default', 'body', z.array(z.string().default('a')), 'an item that may be left out'],
  ['z.enum() of numbers', 'query', z.enum({ one: 1 }), 'values that are no strings'],
  ['an empty z.enum()', 'query', z.enum([]), 'values that are no strings'],
  ['z.literal() of a number', 'query', z.literal(5), 'values that are no strings'],
  ['z.literal() of null', 'body', z.literal([null, 'a']), 'values that are no strings'],
  ['.refine() of an enum', 'query', z.enum(['a']).refine(() => true), '.refine()'],
  ['z.union()', 'query', z.union([z.string(), z.int()]), 'ZodUnion'],
  ['z.union() with null', 'query', z.union([z.string(), z.null()]), 'ZodUnion'],
  ['z.xor()', 'query', z.xor([z.string(), z.int()]), 'ZodXor'],
  [
    'z.discriminatedUnion()',
    'body',
    z.discriminatedUnion('a', [z.object({ a: z.literal('b') })]),
    'ZodDiscriminatedUnion',
  ],
  ['z.intersection()', 'query', z.string().and(z.string().min(1)), 'ZodIntersection'],
  ['.nullable()', 'body', z.string().nullable(), 'write .nullish()'],
  ['.nullish() with .default()', 'body', z.string().nullish().default('a'), 'ZodNullable with ZodDefault'],
  [
    '.refine() of .optional()',
    'body',
    z
      .string()
      .optional()
      .refine(() => true),
    '.refine()',
  ],
  ['z.exactOptional()', 'query', z.exactOptional(z.string()), 'ZodExactOptional'],
  ['z.function()', 'body', z.function(), 'ZodFunction'],
  ['.nonoptional()', 'query', z.string().optional().nonoptional(), 'ZodNonOptional'],
  ['.prefault()', 'query', z.string().prefault('a'), 'ZodPrefault'],
  ['.catch()', 'query', z.string().catch('a'), 'ZodCatch'],
  ['.readonly()', 'query', z.string().readonly(), 'ZodReadonly'],
  ['z.coerce.number()', 'query', z.coerce.number(), 'the option "coerce" of ZodNumber'],
  ['z.coerce.string()', 'query', z.coerce.string(), 'the option "coerce" of ZodString'],
  ['z.coerce.boolean()', 'query', z.coerce.boolean(), 'the option "coerce" of ZodBoolean'],
  ['.pipe()', 'query', z.string().pipe(z.string()), '.pipe()'],
  ['.transform()', 'query', z.string().transform(Number), '.transform()'],
  ['z.transform()', 'query', z.transform(Number), 'ZodTransform'],
  ['z.preprocess()', 'query', z.preprocess(String, z.string()), 'ZodPreprocess'],
  ['z.codec()', 'query', z.codec(z.string(), z.string(), { decode: String, encode: String }), 'ZodCodec'],
  ['z.stringbool()', 'query', z.stringbool(), 'ZodCodec'],
  ['.refine()', 'query', z.string().refine(() => true), '.refine()'],
  ['.superRefine()', 'query', z.string().superRefine(() => {}), '.superRefine()'],
  ['.check()', 'query', z.string().check(() => {}), '.check()'],
  ['.overwrite()', 'query', z.string().overwrite((text) => text), '.overwrite()'],
  ['z.custom()', 'query', z.custom(), 'ZodCustom'],
  ['z.instanceof()', 'body', z.instanceof(Date), 'ZodInstanceOf'],
  ['z.object() of a field', 'body', z.object({}), 'ZodObject'],
  ['z.record()', 'body', z.record(z.string(), z.string()), 'ZodRecord'],
  ['z.tuple()', 'body', z.tuple([z.string()]), 'ZodTuple'],
  ['z.map()', 'body', z.map(z.string(), z.string()), 'ZodMap'],
  ['z.set()', 'body', z.set(z.string()), 'ZodSet'],
  ['.min() of a set', 'body', z.set(z.string()).min(1), 'ZodSet'],
  ['.max() of a set', 'body', z.set(z.string()).max(1), 'ZodSet'],
  ['.size() of a set', 'body', z.set(z.string()).size(1), 'ZodSet'],
  ['.mime() of a file', 'body', z.file().mime('text/csv'), 'ZodFile'],
  ['z.date()', 'query', z.date(), 'ZodDate'],
  ['z.file()', 'body', z.file(), 'ZodFile'],
  ['z.lazy()', 'body', z.lazy(() => z.string()), 'ZodLazy'],
  ['z.promise()', 'body', z.promise(z.string()), 'ZodPromise'],
  ['z.success()', 'query', z.success(z.string()), 'ZodSuccess'],
  ['z.symbol()', 'query', z.symbol(), 'ZodSymbol'],
  ['z.null()', 'body', z.null(), 'ZodNull'],
  ['z.undefined()', 'body', z.undefined(), 'ZodUndefined'],
  ['z.void()', 'body', z.void(), 'ZodVoid'],
  ['z.never()', 'body', z.never(), 'ZodNever'],
  ['z.any()', 'body', z.any(), 'ZodAny'],
  ['z.unknown()', 'body', z.unknown(), 'ZodUnknown'],
  ['a class that a later zod adds', 'query', new ZodFuture({ type: 'string' }), 'ZodFuture'],
  ['a check that a later zod adds', 'query', z.string().check(new FutureCheck({ check: 'future' })), '$ZodCheckFuture'],
  ['an option that a later zod adds', 'query', withOption({ charset: 'ascii' }), 'the option "charset" of ZodString'],
];

describe('request validation refuses at the start', () => {
  for (const [name, part, schema, construct] of refused) {
    it(name, () => {
      assert.throws(
        () => fieldsOf(z.object({ field: schema }), part),
        (error: unknown) => {
          assert.ok(error instanceof TypeError);
          assert.ok(error.message.startsWith(`The ${part} field "field`), error.message);
          assert.ok(error.message.includes(construct), error.message);
          return true;
        },
      );
    });
  }
});

describe('request validation refuses at the start, of a whole object', () => {
  const objects: [string, z.ZodObject, string][] = [
    ['z.strictObject()', z.strictObject({}), 'the option "catchall" of ZodObject'],
    ['z.looseObject()', z.looseObject({}), 'the option "catchall" of ZodObject'],
    ['.catchall()', z.object({}).catchall(z.string()), 'the option "catchall" of ZodObject'],
    ['.refine()', z.object({}).refine(() => true), '.refine()'],
    ['.superRefine()', z.object({}).superRefine(() => {}), '.superRefine()'],
  ];
  for (const [name, schema, construct] of objects) {
    it(name, () => {
      assert.throws(
        () => fieldsOf(schema, 'body'),
        ({ message }: TypeError) => message.startsWith('The body uses') && message.includes(construct),
      );
    });
  }
});

/** The constructs that enforced.spec.ts tests. */
const enforced = [
  'ZodObject',
  'ZodOptional',
  'ZodNullable',
  'ZodDefault',
  'ZodString',
  'ZodISODate',
  'ZodNumber',
  'ZodNumberFormat',
  'ZodBoolean',
  'ZodEnum',
  'ZodLiteral',
  'ZodArray',
  '$ZodCheckMinLength',
  '$ZodCheckMaxLength',
  '$ZodCheckLengthEquals',
  '$ZodCheckGreaterThan',
  '$ZodCheckLessThan',
  '$ZodCheckNumberFormat',
  '$ZodCheckStringFormat',
];
/** Exports of zod that are named like a schema or check class but are none: base classes, errors, enums and helpers. */
const others = [
  'ZodType',
  'ZodStringFormat',
  '$ZodCheck',
  'ZodError',
  'ZodRealError',
  'ZodCompileAsyncError',
  'ZodCompileUnsupportedError',
  'ZodFirstPartyTypeKind',
  'ZodIssueCode',
];

describe('the tests of request validation', () => {
  it('cover every schema and check that this version of zod exports', () => {
    const covered = refused.flatMap(([, , schema]) => [schema, ...(schema.def.checks ?? [])]);
    const named = new Set([...enforced, ...others]);
    const isTested = (name: string, one: unknown): boolean =>
      named.has(name) || (typeof one === 'function' && covered.some((schema) => schema instanceof one));
    const exported = [...Object.entries(z), ...Object.entries(z.core)].filter(([name]) =>
      /^(?:Zod[A-Z]|\$ZodCheck)/.test(name),
    );
    assert.ok(exported.length > 80);
    assert.deepEqual(
      exported.flatMap(([name, one]) => (isTested(name, one) ? [] : [name])),
      [],
    );
  });
});
