import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseEnv } from 'node:util';
import { natsTlsVariables, parseConfig, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { ImportError, sentenceOf } from './errors.js';

/** The file in which a running `npm start` writes NATS_URL and NATS_PASSWORD for this command, as NAME=value. */
export const connectionFile = 'ingest.env';

const variables = z.object({
  NATS_URL: processVariables.NATS_URL,
  NATS_USER: variable.text().default('ingest'),
  NATS_PASSWORD: processVariables.NATS_PASSWORD,
  ...natsTlsVariables,
});

export type IngestConfig = z.infer<typeof variables>;

/** The absolute path of the system's state folder. */
export const homeFolder = (environment: NodeJS.ProcessEnv): string =>
  resolve(environment['ALMANAC_HOME'] === undefined ? '.almanac' : environment['ALMANAC_HOME'] || '.almanac');

/** Reads the environment, then the file of the running system. */
export const readConfig = async (environment: NodeJS.ProcessEnv): Promise<IngestConfig> =>
  parseConfig(variables, { ...(await readWritten(environment)), ...environment });

/** The connection file of the running system, or nothing if none runs. */
export const readWritten = async (environment: NodeJS.ProcessEnv): Promise<Record<string, string>> => {
  const path = join(homeFolder(environment), connectionFile);
  try {
    const parsed = parseEnv(await readFile(path, 'utf8'));
    return Object.fromEntries(
      Object.entries(parsed).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])),
    );
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'ENOENT') return {};
    throw new ImportError(`${path} cannot be read: ${sentenceOf(cause)}`, { cause });
  }
};
