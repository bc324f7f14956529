import assert from 'node:assert/strict';
import { clickhouseVariables } from '@almanac/runtime';
import { z } from 'zod';
import { config as catalog } from '../../../services/catalog/dist/config.js';
import { config as commerce } from '../../../services/commerce/dist/config.js';
import { bucketConfig, config as exporting } from '../../../services/export/dist/config.js';
import { gatewayConfig as gateway } from '../../../services/gateway/dist/config.js';
import { config as keys } from '../../../services/keys/dist/config.js';
import { config as timeseries } from '../../../services/timeseries/dist/config.js';
import type { Environment } from './repository.js';

export const services = ['gateway', 'catalog', 'timeseries', 'export', 'commerce', 'keys'] as const;

/** What each process takes from its environment: the services, and the commands that run once. */
const configs: Readonly<Record<string, z.ZodObject>> = {
  gateway,
  catalog,
  timeseries,
  export: exporting,
  commerce,
  keys,
  migrate: z.object(clickhouseVariables),
  bucket: bucketConfig,
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

/** A row of docs/deploy.md for each variable: its name, who takes it, what holds without it, and what it says of itself. */
export const variableRows = (): string[] => {
  const rows = new Map<string, { readonly by: string[]; readonly absent: Set<string>; readonly what: Set<string> }>();
  for (const name of services) {
    const shape: Readonly<Record<string, z.core.$ZodType>> = configs[name]?.shape ?? {};
    for (const [variable, schema] of Object.entries(shape)) {
      const row = rows.get(variable) ?? { by: [], absent: new Set(), what: new Set() };
      row.by.push(name);
      row.absent.add(withoutIt(schema));
      row.what.add(z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' }).description ?? '');
      rows.set(variable, row);
    }
  }
  return [...rows].map(([variable, { by, absent, what }]) => {
    const takers = by.length === services.length ? 'all' : by.join(', ');
    const row = `| \`${variable}\` | ${takers} | ${[...absent].join(', ')} | ${[...what].join('; ')} |`;
    return row.replace(/ +\|/g, ' |');
  });
};

const withoutIt = (schema: z.core.$ZodType): string => {
  const { success, data } = z.safeParse(schema, undefined);
  if (!success) return '**needed**';
  return (typeof data === 'string' && data !== '') || typeof data === 'number' ? `\`${data}\`` : '';
};
