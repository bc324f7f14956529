import { z } from 'zod';
import type { Fault, Location } from './fault.js';
import { booleanOf, dateFault, integerOf, numberOf } from './lexical.js';
import { codePointsOf } from './json-fault.js';

/** Turns one given value into the value meant, or adds to the faults; `undefined` means not given. */
export type Check = (value: unknown, at: { readonly loc: Location; readonly faults: Fault[] }) => unknown;

export interface Field {
  readonly name: string;
  readonly required: boolean;
  readonly fallback: unknown;
  readonly check: Check;
}

/** The part of JSON Schema that our schemas come to; anything else fails when the process starts. */
const node = z.object({
  type: z.union([z.string(), z.array(z.string())]).optional(),
  anyOf: z.array(z.unknown()).optional(),
  enum: z.array(z.string()).optional(),
  items: z.unknown().optional(),
  format: z.string().optional(),
  minimum: z.number().optional(),
  maximum: z.number().optional(),
  minLength: z.number().optional(),
  maxLength: z.number().optional(),
  minItems: z.number().optional(),
  default: z.unknown().optional(),
});
type Node = z.output<typeof node>;

const objectNode = z.object({ properties: z.record(z.string(), node), required: z.array(z.string()).default([]) });

/** What the documentation says of a schema is nothing to its check, and names of shapes would put references in place of them. */
const nothing = z.registry<Record<string, unknown>>();

/** The fields of an object schema in its order. `from` tells whether values come as texts (path, query) or as JSON. */
export const fieldsOf = (schema: z.ZodObject, from: 'text' | 'json'): Field[] => {
  const { properties, required } = objectNode.parse(z.toJSONSchema(schema, { io: 'input', metadata: nothing }));
  return Object.entries(properties).map(([name, described]) => ({
    name,
    required: required.includes(name),
    fallback: described.default,
    check: checkOf(described, from),
  }));
};

const checkOf = (described: Node, from: 'text' | 'json'): Check => {
  const { node: inner, nullable } = withoutNull(described);
  const check = plainCheckOf(inner, from);
  if (!nullable) return check;
  const emptyIsAbsent = inner.type === 'string';
  return (value, at) => (value === null || (emptyIsAbsent && value === '') ? undefined : check(value, at));
};

const withoutNull = (described: Node): { node: Node; nullable: boolean } => {
  if (Array.isArray(described.type)) {
    const [type, ...more] = described.type.filter((name) => name !== 'null');
    if (type === undefined || more.length > 0) throw new TypeError(`no check for ${JSON.stringify(described)}`);
    return { node: { ...described, type }, nullable: described.type.includes('null') };
  }
  if (described.anyOf === undefined) return { node: described, nullable: false };
  const options = described.anyOf.map((option) => node.parse(option));
  const [only, ...others] = options.filter(({ type }) => type !== 'null');
  if (only === undefined || others.length > 0) throw new TypeError(`no check for ${JSON.stringify(described)}`);
  return { node: only, nullable: options.length > 1 };
};

const plainCheckOf = (described: Node, from: 'text' | 'json'): Check => {
  if (described.enum !== undefined) return literal(described.enum);
  if (described.type === 'string') return described.format === 'date' ? date : text(described);
  if (described.type === 'array' && from === 'json') return list(described);
  if (from === 'text' && described.type === 'integer') return integer(described);
  if (from === 'text' && described.type === 'number') return finite(described);
  if (from === 'text' && described.type === 'boolean') return boolean;
  throw new TypeError(`no check for ${JSON.stringify(described)} as ${from}`);
};

const refuse = (
  { loc, faults }: { readonly loc: Location; readonly faults: Fault[] },
  fault: Omit<Fault, 'loc'>,
): undefined => {
  const { type, msg, input, ctx } = fault;
  faults.push({ type, loc, msg, input, ...(ctx === undefined ? {} : { ctx }) });
};

const integer = (bounds: Node): Check => {
  const within = bounded(bounds);
  const msg = 'Input should be a valid integer, unable to parse string as an integer';
  return (value, at) => {
    const parsed = integerOf(String(value));
    return parsed === undefined ? refuse(at, { type: 'int_parsing', msg, input: value }) : within(parsed, value, at);
  };
};

const finite = (bounds: Node): Check => {
  const within = bounded(bounds);
  const msg = 'Input should be a valid number, unable to parse string as a number';
  return (value, at) => {
    const parsed = numberOf(String(value));
    if (parsed === undefined) return refuse(at, { type: 'float_parsing', msg, input: value });
    if (Number.isFinite(parsed)) return within(parsed, value, at);
    return refuse(at, { type: 'finite_number', msg: 'Input should be a finite number', input: value });
  };
};

type At = Parameters<Check>[1];

const bounded =
  ({ minimum: ge, maximum: le }: Node) =>
  (parsed: number, input: unknown, at: At): number | undefined => {
    if (ge !== undefined && parsed < ge) {
      const msg = `Input should be greater than or equal to ${ge}`;
      return refuse(at, { type: 'greater_than_equal', msg, input, ctx: { ge } });
    }
    if (le !== undefined && parsed > le) {
      const msg = `Input should be less than or equal to ${le}`;
      return refuse(at, { type: 'less_than_equal', msg, input, ctx: { le } });
    }
    return parsed;
  };

const boolean: Check = (value, at) => {
  const msg = 'Input should be a valid boolean, unable to interpret input';
  return booleanOf(String(value)) ?? refuse(at, { type: 'bool_parsing', msg, input: value });
};

const noString = { type: 'string_type', msg: 'Input should be a valid string' };

const text =
  ({ minLength, maxLength }: Node): Check =>
  (value, at) => {
    if (typeof value !== 'string') return refuse(at, { ...noString, input: value });
    if (minLength === undefined && maxLength === undefined) return value;
    const length = codePointsOf(value);
    if (minLength !== undefined && length < minLength) {
      const msg = `String should have at least ${minLength} ${charactersOf(minLength)}`;
      return refuse(at, { type: 'string_too_short', msg, input: value, ctx: { min_length: minLength } });
    }
    if (maxLength !== undefined && length > maxLength) {
      const msg = `String should have at most ${maxLength} ${charactersOf(maxLength)}`;
      return refuse(at, { type: 'string_too_long', msg, input: value, ctx: { max_length: maxLength } });
    }
    return value;
  };

const charactersOf = (count: number): string => (count === 1 ? 'character' : 'characters');

const date: Check = (value, at) => {
  if (typeof value !== 'string') return refuse(at, { ...noString, input: value });
  const error = dateFault(value);
  if (error === undefined) return value;
  const msg = `Input should be a valid date in the format YYYY-MM-DD, ${error}`;
  return refuse(at, { type: 'date_parsing', msg, input: value, ctx: { error } });
};

const literal = (allowed: readonly string[]): Check => {
  const quoted = allowed.map((word) => `'${word}'`);
  const expected = [quoted.slice(0, -1).join(', '), quoted.at(-1)].filter(Boolean).join(' or ');
  return (value, at) =>
    typeof value === 'string' && allowed.includes(value)
      ? value
      : refuse(at, { type: 'literal_error', msg: `Input should be ${expected}`, input: value, ctx: { expected } });
};

/** Repeated items count once; a list that is too short is one before its items are looked at. */
const list = ({ items, minItems = 0 }: Node): Check => {
  const item = checkOf(node.parse(items), 'json');
  return (value, { loc, faults }) => {
    if (!Array.isArray(value)) {
      return refuse({ loc, faults }, { type: 'list_type', msg: 'Input should be a valid list', input: value });
    }
    const given: readonly unknown[] = value;
    if (given.length < minItems) {
      const msg = `List should have at least ${minItems} ${minItems === 1 ? 'item' : 'items'} after validation, not ${given.length}`;
      const ctx = { field_type: 'List', min_length: minItems, actual_length: given.length };
      return refuse({ loc, faults }, { type: 'too_short', msg, input: value, ctx });
    }
    return [...new Set(given.map((one, index) => item(one, { loc: [...loc, index], faults })))];
  };
};
