/** What the reference reads of the document at `/openapi.json`. The server that made it serves this page. */
export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly format?: string;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly additionalProperties?: Schema | boolean;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly description?: string;
  readonly examples?: readonly unknown[];
  readonly default?: unknown;
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface Parameter {
  readonly $ref?: string;
  readonly name: string;
  readonly in: 'path' | 'query' | 'header' | 'cookie';
  readonly required?: boolean;
  readonly description?: string;
  readonly schema?: Schema;
}

type Content = Readonly<Record<string, { readonly schema?: Schema; readonly example?: unknown }>>;

export interface Answer {
  readonly $ref?: string;
  readonly description?: string;
  readonly content?: Content;
}

interface GivenOperation {
  readonly operationId: string;
  readonly tags?: readonly string[];
  readonly summary?: string;
  readonly description?: string;
  readonly parameters?: readonly Parameter[];
  readonly requestBody?: { readonly content?: Content };
  readonly responses?: Readonly<Record<string, Answer>>;
}

export interface OpenApi {
  readonly info: { readonly title: string; readonly description?: string };
  readonly tags?: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
  readonly components?: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** An endpoint of the API. */
export interface Operation {
  readonly id: string;
  readonly method: string;
  readonly path: string;
  readonly tag: string;
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly Parameter[];
  readonly body: Schema | undefined;
  readonly answers: readonly (readonly [status: string, answer: Answer])[];
}

export interface OperationGroup {
  readonly name: string;
  readonly description: string;
  readonly operations: readonly Operation[];
}

const methods = ['get', 'post', 'put', 'patch', 'delete'];

/** What a reference within the document means. Anything else is itself. */
export const resolved = <Value extends { readonly $ref?: string }>(document: OpenApi, value: Value): Value => {
  if (value.$ref === undefined) return value;
  const [, , kind = '', name = ''] = value.$ref.split('/');
  const found = document.components?.[kind]?.[name] as Value | undefined;
  return found === undefined ? value : resolved(document, found);
};

const operationOf = (document: OpenApi, path: string, method: string, given: GivenOperation): Operation => ({
  id: given.operationId,
  method: method.toUpperCase(),
  path,
  tag: given.tags?.[0] ?? '',
  summary: given.summary ?? given.operationId,
  description: given.description ?? '',
  parameters: (given.parameters ?? []).map((parameter) => resolved(document, parameter)),
  body: given.requestBody?.content?.['application/json']?.schema,
  answers: Object.entries(given.responses ?? {}).map(([status, answer]) => [status, resolved(document, answer)]),
});

/** All endpoints in the groups and the order of the document. */
export const groupsOf = (document: OpenApi): OperationGroup[] => {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([method]) => methods.includes(method))
      .map(([method, given]) => operationOf(document, path, method, given as GivenOperation)),
  );
  return (document.tags ?? []).map(({ name, description = '' }) => ({
    name,
    description,
    operations: operations.filter(({ tag }) => tag === name),
  }));
};

/** `integer`, `string or null`, `array of Market`. */
export const typeOf = (document: OpenApi, schema: Schema): string => {
  const named = schema.$ref?.split('/').at(-1);
  const { type, enum: values, const: value, items, anyOf, oneOf } = resolved(document, schema);
  if (value !== undefined) return JSON.stringify(value);
  if (values !== undefined) return values.map((one) => JSON.stringify(one)).join(' or ');
  const parts = anyOf ?? oneOf;
  if (parts !== undefined) return [...new Set(parts.map((part) => typeOf(document, part)))].join(' or ');
  if (items !== undefined) return `array of ${typeOf(document, items)}`;
  return named ?? (typeof type === 'string' ? type : type?.join(' or ')) ?? 'any';
};

/** The example of a schema, or undefined. Objects are made of the examples of their fields, without those that may be missing. */
export const exampleOf = (document: OpenApi, given: Schema, depth = 0): unknown => {
  const schema = resolved(document, given);
  if (schema.examples?.[0] !== undefined) return schema.examples[0];
  if (schema.default !== undefined) return schema.default;
  const part = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.[0];
  if (part !== undefined) return exampleOf(document, part, depth + 1);
  if (schema.items !== undefined && depth < 4) {
    const item = exampleOf(document, schema.items, depth + 1);
    return item === undefined ? [] : [item];
  }
  if (schema.properties === undefined || depth > 4) return undefined;
  const fields = Object.entries(schema.properties).filter(([name]) => schema.required?.includes(name) ?? false);
  return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(document, field, depth + 1)]));
};

/** The fields of an object, or of the objects in a list. */
export const fieldsOf = (document: OpenApi, given: Schema): readonly (readonly [name: string, field: Schema])[] => {
  const schema = resolved(document, given);
  if (schema.properties !== undefined) return Object.entries(schema.properties);
  if (schema.items !== undefined) return fieldsOf(document, schema.items);
  const part = (schema.anyOf ?? schema.oneOf ?? schema.allOf)?.find((one) => fieldsOf(document, one).length > 0);
  return part === undefined ? [] : fieldsOf(document, part);
};

/** The address of a request below the origin. Empty values are left out. */
export const addressOf = (
  { path, parameters }: Pick<Operation, 'path' | 'parameters'>,
  values: Readonly<Record<string, string>>,
): string => {
  const query = new URLSearchParams();
  let address = path;
  for (const { name, in: place } of parameters) {
    const value = values[name] ?? '';
    if (place === 'path')
      address = address.replace(`{${name}}`, value === '' ? `{${name}}` : encodeURIComponent(value));
    else if (place === 'query' && value !== '') query.set(name, value);
  }
  const search = query.toString();
  return search === '' ? address : `${address}?${search}`;
};

/** The example of a body, with ids of a market of the archive in the place of those of the document. */
export const bodyOf = (document: OpenApi, body: Schema, ids: Readonly<Record<string, string>>): string => {
  const ofArchive = new Map([
    ['ticker', ids['ticker']],
    ['event', ids['event_id']],
    ['series', ids['series_id']],
  ]);
  const own = (name: string, value: unknown): unknown => {
    const id = ofArchive.get(name.replace(/s$/, '')) ?? ofArchive.get(name);
    if (id === undefined || id === '') return value;
    return Array.isArray(value) ? [id] : typeof value === 'string' ? id : value;
  };
  const example = exampleOf(document, body);
  const fields = typeof example === 'object' && example !== null ? Object.entries(example) : [];
  return JSON.stringify(Object.fromEntries(fields.map(([name, value]) => [name, own(name, value)])), undefined, 2);
};
