import assert from 'node:assert/strict';
import { processNames } from '@almanac/contracts';
import { clickhouseVariables, natsTlsVariables, objectStoreVariables, processVariables } from '@almanac/runtime';
import { z } from 'zod';
import { expectedIn } from '@almanac/operator';
import { bucketConfig } from '../../../services/export/dist/config.js';
import type { Environment } from './repository.js';

const { NATS_URL, NATS_PASSWORD } = processVariables;
const operatorVariables = { NATS_URL, NATS_PASSWORD, ...natsTlsVariables };
/** The Jobs get the common ConfigMap, which has more than they read. */
const { NATS_USER, ...others } = processVariables;
const jobVariables = { ...others, NATS_USER: NATS_USER.optional() };

const expectedProcesses = z
  .string()
  .refine((text) => Object.keys(expectedIn({ EXPECTED_PROCESSES: text })).length === processNames.length);

const configEntry = async (name: string): Promise<[string, z.ZodObject]> => {
  const module: unknown = await import(`../../../services/${name}/dist/config.js`);
  return [name, z.object({ config: z.instanceof(z.ZodObject) }).parse(module).config];
};

/** The variables of each process: the services, and the one-time commands. */
const configs: Readonly<Record<string, z.ZodObject>> = {
  ...Object.fromEntries(await Promise.all(processNames.map(configEntry))),
  migrate: z.object(clickhouseVariables),
  bucket: bucketConfig,
  operator: z.object({
    ...operatorVariables,
    EXPECTED_PROCESSES: expectedProcesses,
    ...clickhouseVariables,
    ...objectStoreVariables,
  }),
  backup: z.object({
    ...jobVariables,
    EXPECTED_PROCESSES: expectedProcesses,
    ...clickhouseVariables,
    ...objectStoreVariables,
  }),
  restore: z.object({
    ...jobVariables,
    EXPECTED_PROCESSES: expectedProcesses,
    ...clickhouseVariables,
    ...objectStoreVariables,
    WEBHOOK_SECRET: z.string(),
    WEBHOOK_EARLIER_SECRETS: z.string(),
  }),
  ingest: z.object({ ...operatorVariables, ALMANAC_HOME: z.string() }),
  'rebuild-catalogue': z.object({ ...jobVariables, ...clickhouseVariables }),
  'rebuild-exports': z.object({ ...jobVariables, ...clickhouseVariables }),
};

/** Fails unless the process would start with these variables and knows each of them. */
export const assertConfigures = (name: string, variables: Environment): void => {
  const config = configs[name];
  assert.ok(config !== undefined, `${name} has no configuration here`);
  // An empty variable counts as absent, as in parseConfig.
  const given = Object.fromEntries(Object.entries(variables).filter(([, value]) => value !== ''));
  const { error } = config.safeParse(given);
  assert.equal(error, undefined, `${name}: ${error === undefined ? '' : z.prettifyError(error)}`);
  const unknown = Object.keys(variables).filter((variable) => !Object.hasOwn(config.shape, variable));
  assert.deepEqual(unknown, [], `${name} knows no such variable`);
};

/** The rows of docs/deploy.md: for each variable its name, its services, its default, and its description. */
export const variableRows = (): string[] => {
  const rows = new Map<string, { readonly service: string; readonly fallback: string; readonly text: string }[]>();
  for (const service of processNames) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = configs[service]?.shape ?? {};
    for (const [variable, schema] of Object.entries(shape)) {
      const text = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).description ?? '';
      assert.notEqual(text, '', `${variable} of ${service} has no description`);
      rows.set(variable, [...(rows.get(variable) ?? []), { service, fallback: withoutIt(schema), text }]);
    }
  }
  return Array.from(rows, ([variable, readers]) => {
    const readBy = readers.length === processNames.length ? 'all' : readers.map(({ service }) => service).join(', ');
    const fallback = perService(readers, 'fallback', (value, names) => `${value || 'none'} (${names})`);
    const text = perService(readers, 'text', (value, names) => `${names}: ${value}`);
    return `| \`${variable}\` | ${readBy} | ${fallback} | ${text} |`.replace(/ +\|/g, ' |');
  });
};

/** Text that all readers of a variable share is written once. Differences name the services. */
const perService = (
  readers: readonly { readonly service: string; readonly fallback: string; readonly text: string }[],
  key: 'fallback' | 'text',
  named: (value: string, services: string) => string,
): string => {
  const groups = [...Map.groupBy(readers, (reader) => reader[key])];
  const [only] = groups;
  if (groups.length === 1 && only) return only[0];
  return groups.map(([value, of]) => named(value, of.map(({ service }) => service).join(', '))).join('; ');
};

const withoutIt = (schema: z.core.$ZodType): string => {
  const { success, data } = z.safeParse(schema, undefined);
  if (!success) return '**needed**';
  return (typeof data === 'string' && data !== '') || typeof data === 'number' ? `\`${data}\`` : '';
};
