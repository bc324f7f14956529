import type { Notice } from '@almanac/contracts';
import type { z } from 'zod';
import { millisecondNotices, validationNoticesOf } from './validation-notices.js';
import { faultOf, noticeOf, type Unknown, unknownMax, unknownPart } from './unknown.js';
import { type Body, isObject, parse, readBody } from './body.js';
import { type Fault, ValidationError } from './fault.js';
import { type Field, fieldsOf } from './fields.js';

/** The input of an endpoint. Fields are checked, and faults reported, in this order. */
export interface Shapes {
  readonly path?: z.ZodObject;
  readonly query?: z.ZodObject;
  readonly body?: z.ZodObject;
}

/** The validated input, with defaults for absent values. */
export interface Given<S extends Shapes> {
  readonly path: Part<S['path']>;
  readonly query: Part<S['query']>;
  readonly body: Part<S['body']>;
}
type Part<Schema> = Schema extends z.ZodObject ? z.output<Schema> : Readonly<Record<string, never>>;

/** A request before validation. `query` is the text after `?`. */
export interface Raw {
  readonly path: Readonly<Record<string, unknown>>;
  readonly query: string;
  readonly body: { readonly bytes: Uint8Array; readonly contentType: string | undefined } | undefined;
}

/** How to treat parts of a request that the endpoint does not know. */
export interface Handling {
  /** They are faults, not notices. */
  readonly strict: boolean;
  /** An `Accept` header without a media type of the endpoint. */
  readonly accept: Unknown | undefined;
}

export interface Validated<S extends Shapes> {
  readonly given: Given<S>;
  readonly notices: readonly Notice[];
}

/** Faults of body fields that are valid alone but not together. `sent` has the fields as they came, without defaults. */
export type CheckTogether<S extends Shapes> = (
  body: Part<S['body']>,
  sent: Readonly<Record<string, unknown>>,
) => readonly Fault[];

interface ValidatorOptions<S extends Shapes> {
  readonly costs?: boolean;
  readonly together?: CheckTogether<S> | undefined;
}

export type Validate<S extends Shapes> = (raw: Raw, handling: Handling) => Validated<S>;

const noNotices: readonly Notice[] = [];

/**
 * Creates the validator of one endpoint. It throws a ValidationError with every fault. An endpoint that `costs` money
 * or quota also refuses an unknown body field, and a query parameter that is nearly one of its own.
 */
export const validator = <S extends Shapes>(
  shapes: S,
  { costs = false, together }: ValidatorOptions<S> = {},
): Validate<S> => {
  const path = shapes.path && fieldSet(shapes.path, 'path');
  const query = shapes.query ? fieldSet(shapes.query, 'query') : noFields;
  const body = shapes.body && fieldSet(shapes.body, 'body');
  return (raw, { strict, accept }) => {
    const found: Found = { faults: [], unknown: [] };
    const given = {
      path: path ? checkAll(path, (name) => raw.path[name], { in: 'path', found }) : {},
      query: raw.query === '' && query === noFields ? {} : checkQuery(query, raw.query, found),
      body: body ? checkBody(body, raw.body, { found, together }) : {},
    };
    if (body === undefined && costs) checkAbsentBody(raw.body, found);
    const notices =
      accept === undefined && found.unknown.length === 0 ? noNotices : settle(found, { strict, accept, costs });
    if (found.faults.length > 0) {
      throw new ValidationError(found.faults, [
        ...notices,
        ...validationNoticesOf(found.faults, raw.body?.contentType),
      ]);
    }
    const units = raw.query === '' ? noNotices : millisecondNotices(given.query);
    // The checks are built from the same schemas as the type.
    return { given: given as Given<S>, notices: units.length === 0 ? notices : [...notices, ...units] };
  };
};

interface Found {
  readonly faults: Fault[];
  readonly unknown: Unknown[];
}

/** The fields of one part of a request in their order, and their names. */
interface FieldSet {
  readonly fields: readonly Field[];
  readonly names: ReadonlySet<string>;
}

const noFields: FieldSet = { fields: [], names: new Set() };

const fieldSet = (schema: z.ZodObject, part: 'path' | 'query' | 'body'): FieldSet => {
  const fields = fieldsOf(schema, part);
  return { fields, names: new Set(fields.map(({ name }) => name)) };
};

/** Makes a notice of each unknown part, or a fault if it is refused. */
const settle = ({ faults, unknown }: Found, { strict, accept, costs }: Handling & { costs: boolean }): Notice[] => {
  const notices: Notice[] = [];
  for (const one of accept === undefined ? unknown : [...unknown, accept]) {
    const isCostly = costs && (one.kind === 'field' || (one.kind === 'parameter' && one.nearest !== undefined));
    if (strict || isCostly) faults.push(faultOf(one));
    else notices.push(noticeOf(one));
  }
  return notices;
};

const checkQuery = (set: FieldSet, query: string, found: Found) => {
  const values = queryValues(query);
  const checked = checkAll(set, (name) => values.get(name), { in: 'query', found });
  for (const [name, input] of values) noteUnknown(set, { kind: 'parameter', loc: ['query', name], input }, found);
  return checked;
};

interface BodyChecks<S extends Shapes> {
  readonly found: Found;
  readonly together: CheckTogether<S> | undefined;
}

const checkBody = <S extends Shapes>(set: FieldSet, raw: Raw['body'], { found, together }: BodyChecks<S>) => {
  const body: Body = readBody(raw?.bytes ?? new Uint8Array(), raw?.contentType);
  if ('fault' in body) {
    found.faults.push(body.fault);
    return {};
  }
  const { object } = body;
  const own = (name: string) => (Object.hasOwn(object, name) ? object[name] : undefined);
  const checked = checkAll(set, own, { in: 'body', found, body: object });
  // The checks are built from the same schemas as the type, if none found a fault.
  if (together && found.faults.length === 0) found.faults.push(...together(checked as Part<S['body']>, object));
  noteUnknownFields(set, object, found);
  return checked;
};

/** The endpoint takes no body, but the sender of a field expects that the field has an effect. */
const checkAbsentBody = (raw: Raw['body'], found: Found): void => {
  if (raw === undefined || raw.bytes.length === 0) return;
  const value = parse(Buffer.from(raw.bytes).toString('utf8'));
  if (isObject(value) && !(value instanceof SyntaxError)) noteUnknownFields(noFields, value, found);
};

const noteUnknownFields = (set: FieldSet, object: Readonly<Record<string, unknown>>, found: Found): void => {
  for (const name of Object.keys(object)) {
    noteUnknown(set, { kind: 'field', loc: ['body', name], input: object[name] }, found);
  }
};

const noteUnknown = (
  { names }: FieldSet,
  { kind, loc, input }: { kind: 'parameter' | 'field'; loc: readonly [string, string]; input: unknown },
  { unknown }: Found,
): void => {
  const [, name] = loc;
  if (name === '' || names.has(name) || unknown.length >= unknownMax) return;
  unknown.push(unknownPart(kind, { loc, input, known: [...names] }));
};

const checkAll = (
  { fields }: FieldSet,
  valueOf: (name: string) => unknown,
  source: { in: 'path' | 'query' | 'body'; found: Found; body?: unknown },
): Record<string, unknown> => {
  const { faults, unknown } = source.found;
  const checked: Record<string, unknown> = {};
  for (const { name, required, fallback, check, knownValues } of fields) {
    const value = valueOf(name);
    if (value !== undefined) {
      const result = check(value, { loc: [source.in, name], faults });
      if (result !== undefined) checked[name] = result;
      if (knownValues !== undefined && typeof result === 'string' && result !== '' && !knownValues.includes(result)) {
        unknown.push(unknownPart('value', { loc: [source.in, name], input: result, known: knownValues }));
      }
    } else if (required) {
      const input = source.body ?? null;
      faults.push({ type: 'missing', loc: [source.in, name], msg: 'Field required', input });
    } else {
      const preset = fallback?.();
      if (preset !== undefined) checked[name] = preset;
    }
  }
  return checked;
};

const nothing: ReadonlyMap<string, string> = new Map();

/** The last value of each name counts. Most queries need no decoding, which saves time on the hot path. */
export const queryValues = (query: string): ReadonlyMap<string, string> => {
  if (query === '') return nothing;
  if (query.includes('%') || query.includes('+')) return new Map(new URLSearchParams(query));
  const values = new Map<string, string>();
  for (const pair of query.split('&')) {
    const equals = pair.indexOf('=');
    if (equals < 0) values.set(pair, '');
    else values.set(pair.slice(0, equals), pair.slice(equals + 1));
  }
  return values;
};
