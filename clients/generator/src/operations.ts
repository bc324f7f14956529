import { z } from 'zod';

const reference = z.object({ $ref: z.string() });
const parameter = z.union([reference, z.object({ name: z.string(), in: z.enum(['path', 'query', 'header']) })]);
const operation = z.object({
  operationId: z.string(),
  parameters: z.array(parameter).default([]),
  requestBody: z.object({ content: z.record(z.string(), z.object({ schema: z.unknown() })) }).optional(),
  responses: z.record(z.string(), z.object({ $ref: z.string().default('') })),
});
const methods = ['get', 'post', 'delete'] as const;

/** What the table needs of an OpenAPI document. */
export const openApiDocument = z.object({
  components: z.object({ schemas: z.record(z.string(), z.unknown()) }),
  paths: z.record(z.string(), z.partialRecord(z.enum(methods), operation)),
});
type OpenApiDocument = z.output<typeof openApiDocument>;
type Operation = z.output<typeof operation>;

const heading = `// Made by \`npm run docs:make\` from docs/openapi.json; do not edit.\n\n`;
const bodySchema = z.object({ properties: z.record(z.string(), z.unknown()) });
/** Here `as_of` limits what is made, and the answer is of the present. */
const limitedByAsOf = new Set(['createKey']);

const takesAsOf = (
  { operationId, parameters, requestBody }: Operation,
  { schemas }: OpenApiDocument['components'],
): boolean => {
  if (limitedByAsOf.has(operationId)) return false;
  const isParameter = parameters.some((each) => 'name' in each && each.in === 'query' && each.name === 'as_of');
  const given = requestBody?.content['application/json']?.schema;
  const named = reference.safeParse(given).data?.$ref.split('/').at(-1);
  const body = bodySchema.safeParse(named === undefined ? given : schemas[named]);
  return isParameter || (body.success && 'as_of' in body.data.properties);
};

/** What the operation does with a point in time: it answers as of it, cannot do so, or shows nothing that changes. */
const asOfOf = (found: Operation, components: OpenApiDocument['components']): ClientOperation['asOf'] => {
  if (takesAsOf(found, components)) return 'taken';
  return found.responses['403']?.$ref.includes('AsOfFenced') === true ? 'refused' : 'irrelevant';
};

/** An operation as a client needs it. */
export interface ClientOperation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly asOf: 'taken' | 'refused' | 'irrelevant';
}

/** The operations of the document, in the order of their ids. */
export const operationsOf = ({ components, paths }: OpenApiDocument): ClientOperation[] =>
  Object.entries(paths)
    .flatMap(([path, each]) =>
      methods.flatMap((method) => {
        const found = each[method];
        if (found === undefined) return [];
        return [{ id: found.operationId, method: method.toUpperCase(), path, asOf: asOfOf(found, components) }];
      }),
    )
    .toSorted((one, other) => (one.id < other.id ? -1 : 1));

/** Method, path and point-in-time support of each operation, by its id. */
export const operationTable = (operations: readonly ClientOperation[]): string => {
  const lines = operations.map(
    ({ id, method, path, asOf }) => `  ${id}: { method: '${method}', path: '${path}', asOf: '${asOf}' },\n`,
  );
  const table = `export const operations = {\n${lines.join('')}} as const;\n`;
  return `${heading}${table}\nexport type OperationId = keyof typeof operations;\n`;
};
