import assert from 'node:assert/strict';
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import * as formats from 'ajv-formats';
import { type Answer, jsonOf, type Request } from './http.js';
import { isRecord } from './shape.js';

type Json = Readonly<Record<string, unknown>>;

/** Throws when the published document does not allow an answer. */
export type PublishedCheck = (request: Pick<Request, 'method' | 'path'>, answer: Answer) => void;

/** Errors that come before the choice of an operation, and so are in no operation of the document. */
const beforeOperations = ['bad_request', 'not_found', 'method_not_allowed'];

/**
 * Compares answers with an OpenAPI 3.2 document: the operation must list their status and media type, and JSON must
 * match the schema. Each schema is compiled once.
 */
export const publishedCheck = (document: unknown): PublishedCheck => {
  const root = recordAt(document, []);
  const ajv = new Ajv2020({ strict: true, strictRequired: false, strictTypes: false, allErrors: true });
  formats.default.default(ajv);
  ajv.addVocabulary(['example', ...Object.keys(root)]);
  ajv.addSchema(root, 'published', false, false);
  const compiled = new Map<string, ValidateFunction>();
  const validateAt = (pointer: readonly string[]): ValidateFunction => {
    const ref = `published#/${pointer.map(escaped).join('/')}`;
    const known = compiled.get(ref) ?? ajv.compile({ $ref: ref });
    compiled.set(ref, known);
    return known;
  };
  const findOperation = operationFinder(root);
  return ({ method, path }, answer) => {
    const { status, headers, bytes } = answer;
    const type = headers['content-type']?.split(';')[0] ?? '';
    const body: unknown = type === 'application/json' && bytes.length > 0 ? jsonOf(answer) : undefined;
    const operation = findOperation(method, path);
    const description = `${method} ${path.slice(0, 200)} answered ${status}: ${bytes.toString('utf8').slice(0, 400)}`;
    const validate = (pointer: readonly string[]) => {
      const valid = validateAt(pointer);
      assert.ok(valid(body), `${description}\n${JSON.stringify(valid.errors, null, 2)}`);
    };
    const responses = operation && recordAt(root, [...operation, 'responses']);
    if (isBefore(responses, body)) return validate(['components', 'schemas', 'Error']);
    if (operation === undefined && bytes.length === 0) return;
    assert.ok(
      operation !== undefined && responses?.[status] !== undefined,
      `the document does not list this: ${description}`,
    );
    const pointer = resolved(root, [...operation, 'responses', String(status)]);
    const content = recordAt(root, pointer)['content'];
    if (content === undefined) return assert.equal(bytes.length, 0, description);
    assert.ok(isRecord(content) && type in content, `the document does not list ${type}: ${description}`);
    if (body !== undefined) validate([...pointer, 'content', type, 'schema']);
  };
};

/** A long body is refused everywhere, and listed only where a body is read. */
const isBefore = (responses: Json | undefined, body: unknown): boolean => {
  const code = isRecord(body) ? String(body['code']) : '';
  return beforeOperations.includes(code) || (code === 'payload_too_large' && responses?.['413'] === undefined);
};

const escaped = (part: string): string => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'));

const recordAt = (root: unknown, pointer: readonly string[]): Json => {
  let at = root;
  for (const part of pointer) at = isRecord(at) ? at[part] : undefined;
  assert.ok(isRecord(at), `the document has nothing at ${pointer.join('/')}`);
  return at;
};

/** The location itself, or the one that it refers to. */
const resolved = (root: Json, pointer: readonly string[]): readonly string[] => {
  const ref = recordAt(root, pointer)['$ref'];
  return typeof ref === 'string' ? ref.split('/').slice(1) : pointer;
};

/** Finds the path of the document that a request has. A path with a fixed name comes before one with a parameter. */
const pathFinder = (templates: readonly string[]) => {
  const forms = templates
    .map((template) => ({ template, form: new RegExp(`^${template.replaceAll(/\{[^}]*\}/g, '[^/]+')}$`) }))
    .toSorted((one, other) => parametersIn(one.template) - parametersIn(other.template));
  return (path: string): string | undefined => forms.find(({ form }) => form.test(path))?.template;
};

const operationFinder = (root: Json) => {
  const paths = recordAt(root, ['paths']);
  const findPath = pathFinder(Object.keys(paths));
  return (method: string, address: string): readonly string[] | undefined => {
    // A slash at the end changes nothing.
    const template = findPath((address.split('?')[0] ?? '').replace(/\/$/, ''));
    const name = method === 'HEAD' ? 'get' : method.toLowerCase();
    return template !== undefined && name in recordAt(paths, [template]) ? ['paths', template, name] : undefined;
  };
};

const prefix = '/api/v1';

type Rows = readonly { readonly method: string; readonly path: string }[];

/** One sentence for each operation that only the document has, and for each that only the table has. */
export const endpointFaults = (document: unknown, table: Rows): readonly string[] => {
  const published = Object.entries(recordAt(document, ['paths'])).map(([template, item]) => {
    const path = template.startsWith(prefix) ? template.slice(prefix.length) : template;
    return { path, methods: isRecord(item) ? Object.keys(item) : [] };
  });
  const operations = new Set(
    published.flatMap(({ path, methods }) => methods.map((name) => operationName(name, path))),
  );
  const rows = new Set(table.map(({ method, path }) => operationName(method, path)));
  return [
    ...missingFrom(rows, operations).map((name) => `the table has no row for ${name}`),
    ...missingFrom(operations, rows).map((name) => `the document has no ${name}`),
  ];
};

const missingFrom = (names: ReadonlySet<string>, expected: ReadonlySet<string>): readonly string[] =>
  [...expected].filter((name) => !names.has(name));

const operationName = (method: string, path: string): string => `${method.toUpperCase()} ${path}`;

/** The paths of reads that have no parameter, except the header of every operation. */
export const readsWithoutParameters = (document: unknown): readonly string[] =>
  Object.entries(recordAt(document, ['paths'])).flatMap(([template, item]) => {
    if (template.includes('{') || !isRecord(item) || !isRecord(item['get'])) return [];
    const { parameters = [] } = item['get'];
    const own = (parameters as readonly Json[]).filter(({ $ref }) => $ref !== '#/components/parameters/Prefer');
    return own.length === 0 ? [template.replace(prefix, '')] : [];
  });

/** The schemas of an operation's query parameters, in the published order. */
export const publishedQuery = (document: unknown, path: string): readonly (readonly [string, Json])[] => {
  const { parameters = [] } = recordAt(document, ['paths', path, 'get']);
  return (parameters as readonly Json[])
    .filter((parameter) => parameter['in'] === 'query')
    .map((parameter) => [String(parameter['name']), recordAt(parameter, ['schema'])] as const);
};

const parametersIn = (template: string): number => template.split('{').length - 1;
