import type { z } from 'zod';
import { type Body, readBody } from './body.js';
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

/** Creates the validator of one endpoint. It throws a ValidationError with every fault. */
export const validator = <S extends Shapes>(shapes: S): ((raw: Raw) => Given<S>) => {
  const path = shapes.path && fieldsOf(shapes.path, 'path');
  const query = shapes.query && fieldsOf(shapes.query, 'query');
  const body = shapes.body && fieldsOf(shapes.body, 'body');
  return (raw) => {
    const faults: Fault[] = [];
    const given = {
      path: path ? checkAll(path, (name) => raw.path[name], { in: 'path', faults }) : {},
      query: query ? checkQuery(query, raw.query, faults) : {},
      body: body ? checkBody(body, raw.body, faults) : {},
    };
    if (faults.length > 0) throw new ValidationError(faults);
    // The checks are built from the same schemas as the type.
    return given as Given<S>;
  };
};

const checkQuery = (fields: readonly Field[], query: string, faults: Fault[]) => {
  const values = queryValues(query);
  return checkAll(fields, (name) => values.get(name), { in: 'query', faults });
};

const checkBody = (fields: readonly Field[], raw: Raw['body'], faults: Fault[]) => {
  const body: Body = readBody(raw?.bytes ?? new Uint8Array(), raw?.contentType);
  if ('object' in body) {
    const { object } = body;
    const own = (name: string) => (Object.hasOwn(object, name) ? object[name] : undefined);
    return checkAll(fields, own, { in: 'body', faults, body: object });
  }
  faults.push(body.fault);
  return {};
};

const checkAll = (
  fields: readonly Field[],
  valueOf: (name: string) => unknown,
  source: { in: 'path' | 'query' | 'body'; faults: Fault[]; body?: unknown },
): Record<string, unknown> => {
  const checked: Record<string, unknown> = {};
  for (const { name, required, fallback, check } of fields) {
    const value = valueOf(name);
    if (value !== undefined) {
      const result = check(value, { loc: [source.in, name], faults: source.faults });
      if (result !== undefined) checked[name] = result;
    } else if (required) {
      const input = source.body ?? null;
      source.faults.push({ type: 'missing', loc: [source.in, name], msg: 'Field required', input });
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
