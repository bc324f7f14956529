import type { Schema, Schemas } from '@almanac/contracts';
import type { z } from 'zod';
import type { Operation } from '../routes/route.js';
import { takesRange, isEventStream } from './responses.js';

const headerParameters = {
  IfNoneMatch: {
    name: 'If-None-Match',
    description: '`ETag` of an earlier answer. If the answer has not changed, the server returns status 304',
    example: '"3-5f1d7c40b1d9ac37e0b2"',
  },
  Prefer: {
    name: 'Prefer',
    description:
      'With `handling=strict`, the server refuses unknown parameters, fields, filter values and media types with status 422. Without it, the server ignores them and sends a notice',
    example: 'handling=strict',
  },
  IdempotencyKey: {
    name: 'Idempotency-Key',
    description:
      'Unique key that you choose for the request. If you send the same key and body again within 24 hours, the server returns the first answer and changes nothing. The same key with a different body returns status 409',
    example: '6f9c7a54-bb6e-4c4c-9f3e-2a8f6c0f1f3b',
  },
  LastEventId: {
    name: 'Last-Event-ID',
    description: '`id` of the last event that you received. The stream starts after it',
    example: '1042',
  },
  Range: { name: 'Range', description: 'Byte range of the file to return', example: 'bytes=0-99' },
};
type HeaderParameter = keyof typeof headerParameters;

export const parameterComponents = (): object =>
  Object.fromEntries(
    Object.entries(headerParameters).map(([component, { name, description, example }]) => [
      component,
      // The example is in the schema, because the page at /docs would prefill the parameter's own example.
      { name, in: 'header', required: false, description, schema: { type: 'string', examples: [example] } },
    ]),
  );

/** Path and query in the order of their checks, then headers. */
export const parametersOf = (schemas: Schemas, operation: Operation): object[] => {
  const { path, query } = operation.given;
  const headers: HeaderParameter[] = [
    ...(operation.hasEtag ? (['IfNoneMatch'] as const) : []),
    ...(takesRange(operation) ? (['Range'] as const) : []),
    ...(isEventStream(operation) ? (['LastEventId'] as const) : []),
    'Prefer',
    ...(operation.isIdempotent ? (['IdempotencyKey'] as const) : []),
  ];
  return [
    ...(path === undefined ? [] : fieldsOf(schemas, path, 'path')),
    ...(query === undefined ? [] : fieldsOf(schemas, query, 'query')),
    ...headers.map((name) => ({ $ref: `#/components/parameters/${name}` })),
  ];
};

const fieldsOf = (schemas: Schemas, object: z.ZodObject, where: 'path' | 'query'): object[] => {
  const { properties = {}, required = [] } = schemas.of(object, 'input');
  return Object.entries(properties).map(([name, described]) => {
    if (typeof described === 'boolean') throw new TypeError(`no schema of the parameter ${name}`);
    const { description, ...schema } = withoutNull(described);
    if (description === undefined) throw new TypeError(`no description of the parameter ${name}`);
    return { name, in: where, required: required.includes(name), description, schema };
  });
};

/** A URL cannot contain null: such a field is omitted. */
const withoutNull = (schema: Schema): Schema => {
  const { type, anyOf, ...others } = schema;
  if (anyOf !== undefined)
    return {
      ...others,
      ...onlyOf(
        anyOf.filter((one) => one.type !== 'null'),
        schema,
      ),
    };
  if (typeof type !== 'object') return schema;
  return {
    ...schema,
    type: onlyOf(
      type.filter((name) => name !== 'null'),
      schema,
    ),
  };
};

const onlyOf = <Item>([only, ...others]: readonly Item[], schema: Schema): Item => {
  if (only === undefined || others.length > 0) throw new TypeError(`no parameter can be ${JSON.stringify(schema)}`);
  return only;
};
