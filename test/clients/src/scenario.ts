import { readFile } from 'node:fs/promises';
import { parse } from 'yaml';
import { z } from 'zod';

const fields = z.record(z.string(), z.unknown());

export const clientNames = ['TypeScript', 'Python', 'command line'] as const;
export type ClientName = (typeof clientNames)[number];
/** Clients that do not make a call, with the reason. */
const notIn = z.partialRecord(z.enum(clientNames), z.string()).default({});

const step = z.strictObject({
  /** Resource and call, such as `markets.snapshots`. Words of a call are joined by `_`. */
  call: z.string().regex(/^[a-z_]+(\.[a-z_]+)?$/),
  /** Arguments by name: ids and parameters of the API alike. */
  args: fields.default({}),
  /** idempotency_key, deadline_ms, timeout_ms, max_retries, overwrite. */
  options: fields.default({}),
  /** Of a list: all its items (default), its pages, or its first page. */
  take: z.enum(['items', 'pages', 'first_page']).default('items'),
  /** More items than this are an error. */
  max: z.int().optional(),
  /** Whether other requests have spent the minute of the account before. */
  spend_requests: z.boolean().default(false),
  /** How often the step runs, or until its expected error. */
  times: z.int().default(1),
  /** Whether the step is repeated until its result is the expected one. */
  eventually: z.boolean().default(false),
  /** Options of the client of this step: base_url, api_key, as_of, strict. */
  client: fields.default({}),
  /** Variables for later steps: the name, and the path of the value in the result. */
  save: z.record(z.string(), z.string()).default({}),
  expect: z.unknown().optional(),
  /** The number of items of the list, over all its pages. */
  count: z.int().optional(),
  /** The call must fail with at least these fields. */
  error: fields.optional(),
  not_in: notIn,
});

const scenario = z.strictObject({
  name: z.string(),
  /** The plan of the new account whose key the client has. */
  plan: z.enum(['free', 'pro', 'full_book', 'internal']).default('full_book'),
  /** What is wrong meanwhile. */
  during: z
    .enum(['nothing', 'store_stopped', 'downloads_cut', 'files_damaged', 'storm', 'gateway_restarts'])
    .default('nothing'),
  not_in: notIn,
  steps: z.array(step).min(1),
});

export type Step = z.output<typeof step>;
export type Scenario = z.output<typeof scenario>;

const document = z.strictObject({
  /** For `not_in`, where several scenarios have the same one. */
  reasons: z.record(z.string(), notIn),
  scenarios: z.array(scenario),
  /** Error codes that no call of a client provokes, with the reason. */
  not_provoked: z.record(z.string(), z.string()),
});

export const readScenarios = async (file: URL): Promise<z.output<typeof document>> =>
  document.parse(parse(await readFile(file, 'utf8')));

export type Variables = Map<string, unknown>;

/** Replaces `$name` by its value. `a/$name` stays a text. */
export const withVariables = (value: unknown, variables: Variables): unknown => {
  const valueOf = (name: string): unknown => {
    if (!variables.has(name)) throw new Error(`No step before has saved $${name}.`);
    return variables.get(name);
  };
  if (typeof value === 'string') {
    const whole = /^\$(\w+)$/.exec(value)?.[1];
    return whole === undefined
      ? value.replaceAll(/\$(\w+)/g, (_, name: string) => String(valueOf(name)))
      : valueOf(whole);
  }
  if (Array.isArray(value)) return value.map((item) => withVariables(item, variables));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, withVariables(inner, variables)]));
};

/** The value at a path such as `markets.0.ticker`. */
export const at = (value: unknown, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>(
      (inner, name) =>
        typeof inner === 'object' && inner !== null ? (inner as Record<string, unknown>)[name] : undefined,
      value,
    );
