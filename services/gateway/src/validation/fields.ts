import { type KnownConstructs, lengthChecks, numberChecks, unknownConstruct } from '@almanac/contracts';
import { z } from 'zod';
import {
  boolean,
  type Bounds,
  type Check,
  date,
  finite,
  integer,
  jsonBoolean,
  jsonNumber,
  type Lengths,
  list,
  literal,
  text,
} from './checks.js';

export interface Field {
  readonly name: string;
  readonly required: boolean;
  /** Returns the default. Undefined without one. */
  readonly fallback: (() => unknown) | undefined;
  readonly check: Check;
  /** The values with an effect, if other values are accepted too. */
  readonly knownValues: readonly string[] | undefined;
}

/** The part of a request. Values of path and query are texts, those of the body are JSON. */
export type Part = 'path' | 'query' | 'body';

/** The position of a schema, for the error that rejects it. */
interface Place {
  readonly part: Part;
  readonly name: string;
}

/** The supported constructs. Any other one fails at the start of the process, so no rule of a contract is lost. */
const enforced: KnownConstructs = {
  ZodOptional: { options: ['innerType'] },
  ZodNullable: { options: ['innerType'] },
  ZodDefault: { options: ['innerType', 'defaultValue'] },
  ZodString: { checks: lengthChecks },
  ZodISODate: { options: ['format', 'pattern'] },
  ZodNumber: { checks: numberChecks },
  ZodNumberFormat: { options: ['format'], checks: numberChecks },
  ZodBoolean: {},
  ZodEnum: { options: ['entries'] },
  ZodLiteral: { options: ['values'] },
  ZodArray: { options: ['element'], checks: ['$ZodCheckMinLength', '$ZodCheckMaxLength'] },
};

/** The fields of an object schema in its order. Throws on an unsupported construct. */
export const fieldsOf = (schema: z.ZodObject, part: Part): Field[] => {
  const unknown = unknownConstruct(schema, { ZodObject: { options: ['shape'] } });
  if (unknown !== undefined) throw unsupported(`The ${part}`, unknown);
  const shape: Readonly<Record<string, z.core.$ZodType>> = schema.shape;
  return Object.entries(shape).map(([name, field]) => fieldOf(field, { part, name }));
};

const unsupported = (subject: string, construct: string): TypeError =>
  new TypeError(
    `${subject} uses ${construct}, which request validation does not enforce. ` +
      'Use a construct that services/gateway/src/validation/fields.ts lists, or enforce the rule in the service ' +
      'that answers, or add the construct to fields.ts and to the OpenAPI document with the 422 that pydantic gives.',
  );

const unsupportedField = ({ part, name }: Place, construct: string): TypeError =>
  unsupported(`The ${part} field "${name}"`, construct);

/** The extension of OpenAPI for a text of which only some values have an effect today. */
const extensibleEnum = z.object({ 'x-extensible-enum': z.array(z.string()).optional() }).optional();

const fieldOf = (schema: z.core.$ZodType, place: Place): Field => {
  const { value, optional, nullable, fallback } = unwrapped(schema, place);
  // A null counts as absent, so the type must allow undefined. `.nullable()` alone and a default do not.
  if (nullable && !optional) throw unsupportedField(place, 'ZodNullable without ZodOptional (write .nullish())');
  if (nullable && fallback !== undefined) throw unsupportedField(place, 'ZodNullable with ZodDefault');
  const check = checkOf(value, place);
  const emptyIsAbsent = !(value instanceof z.ZodNumber || value instanceof z.ZodBoolean || value instanceof z.ZodArray);
  const orNull: Check = (given, at) =>
    given === null || (emptyIsAbsent && given === '') ? undefined : check(given, at);
  return {
    name: place.name,
    required: !optional && fallback === undefined,
    fallback,
    check: nullable ? orNull : check,
    knownValues: extensibleEnum.parse(z.globalRegistry.get(schema))?.['x-extensible-enum'],
  };
};

interface Unwrapped extends Pick<Field, 'fallback'> {
  readonly value: z.core.$ZodType;
  readonly optional: boolean;
  readonly nullable: boolean;
}

const unwrapped = (schema: z.core.$ZodType, place: Place): Unwrapped => {
  const unknown = unknownConstruct(schema, enforced);
  if (unknown !== undefined) throw unsupportedField(place, unknown);
  if (schema instanceof z.ZodOptional) return { ...unwrapped(schema.def.innerType, place), optional: true };
  if (schema instanceof z.ZodNullable) return { ...unwrapped(schema.def.innerType, place), nullable: true };
  if (schema instanceof z.ZodDefault) {
    return { ...unwrapped(schema.def.innerType, place), fallback: () => schema.def.defaultValue };
  }
  return { value: schema, optional: false, nullable: false, fallback: undefined };
};

const checkOf = (schema: z.core.$ZodType, place: Place): Check => {
  const isText = place.part !== 'body';
  if (schema instanceof z.ZodString) return text(lengthsOf(schema));
  if (schema instanceof z.ZodISODate) return date;
  if (schema instanceof z.ZodEnum) return literal(wordsOf(schema.options, place));
  if (schema instanceof z.ZodLiteral) return literal(wordsOf([...schema.values], place));
  if (schema instanceof z.ZodArray && !isText) return list(itemCheckOf(schema, place), lengthsOf(schema));
  if (schema instanceof z.ZodNumber) {
    const bounds = boundsOf(schema, place);
    if (!isText) return jsonNumber(bounds, isInteger(schema));
    return isInteger(schema) ? integer(bounds) : finite(bounds);
  }
  if (schema instanceof z.ZodBoolean) return isText ? boolean : jsonBoolean;
  throw unsupportedField(place, `${schema.constructor.name} in the ${place.part}`);
};

const itemCheckOf = (schema: z.ZodArray, { part, name }: Place): Check => {
  const place = { part, name: `${name}[]` };
  const { value, optional, nullable, fallback } = unwrapped(schema.element, place);
  if (optional || nullable || fallback !== undefined) throw unsupportedField(place, 'an item that may be left out');
  return checkOf(value, place);
};

const wordsOf = (values: readonly unknown[], place: Place): string[] => {
  const words = values.filter((value) => typeof value === 'string');
  if (words.length === values.length && words.length > 0) return words;
  throw unsupportedField(place, 'ZodEnum or ZodLiteral with values that are no strings, or none');
};

const lengthsOf = (schema: z.ZodString | z.ZodArray): Lengths => {
  const { minLength, maxLength, minItems, maxItems } = z.toJSONSchema(schema);
  return { minLength: minLength ?? minItems, maxLength: maxLength ?? maxItems };
};

const isInteger = (schema: z.ZodNumber): boolean => z.toJSONSchema(schema).type === 'integer';

const boundsOf = (schema: z.ZodNumber, place: Place): Bounds => {
  const { minimum, maximum, exclusiveMinimum, exclusiveMaximum } = z.toJSONSchema(schema);
  if (exclusiveMinimum === undefined && exclusiveMaximum === undefined) return { ge: minimum, le: maximum };
  throw unsupportedField(
    place,
    'an exclusive bound (.gt(), .lt(), .positive() or .negative(); write .min() or .max())',
  );
};
