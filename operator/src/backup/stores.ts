import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseEnv } from 'node:util';
import { type ClickHouse, clickHouseOptions, connectClickHouse } from '@almanac/clickhouse';
import { type ObjectStore, objectStoreFromConfig } from '@almanac/object-store';
import { clickhouseVariables, ConfigError, objectStoreVariables, parseConfig, variable } from '@almanac/runtime';
import { z } from 'zod';
import { UsageError } from '../error-message.js';

/** ClickHouse with a user that may change the schema and run BACKUP, and the bucket. */
const storesConfig = z.object({
  ...clickhouseVariables,
  ...objectStoreVariables,
  CLICKHOUSE_S3_ENDPOINT: variable
    .url()
    .optional()
    .describe('where ClickHouse reaches the bucket; default S3_ENDPOINT'),
});
export type StoresConfig = z.output<typeof storesConfig>;

export interface Stores {
  readonly config: StoresConfig;
  readonly clickhouse: ClickHouse;
  readonly objects: ObjectStore;
  close(): Promise<void>;
}

/** Reads the environment, or the file that `npm start` wrote into a home. */
export const storesOf = async (environment: NodeJS.ProcessEnv, home: string): Promise<Stores> => {
  if (environment['CLICKHOUSE_URL']) return connectStores(environment);
  const path = join(home, 'backup.env');
  const text = await readFile(path, 'utf8').catch(() => {
    throw new UsageError(
      `${path} is missing. Start the system with npm start, or set CLICKHOUSE_URL, S3_ENDPOINT and so on.`,
    );
  });
  return connectStores(parseEnv(text));
};

/** Timeout of a query: a count with FINAL reads the keys of every row. */
const queryTimeoutMs = 1_800_000;

export const connectStores = (environment: NodeJS.ProcessEnv): Stores => {
  const config = parsed(environment);
  requireOwnServers(config);
  const clickhouse = connectClickHouse({
    ...clickHouseOptions(config),
    requestTimeoutMs: queryTimeoutMs,
    application: 'almanac-backup',
  });
  const objects = objectStoreFromConfig(config);
  return {
    config,
    clickhouse,
    objects,
    close: async () => {
      objects.close();
      await clickhouse.close();
    },
  };
};

/** Cloud has its own backups, and no command that copies its tables to a bucket of ours. */
const requireOwnServers = ({ CLICKHOUSE_CLUSTER: cluster }: StoresConfig): void => {
  if (cluster !== 'cloud') return;
  throw new UsageError(
    'This command does not back up or restore ClickHouse Cloud. Use its own backups: docs/deploy.md, section "A cluster of ClickHouse".',
  );
};

const parsed = (environment: NodeJS.ProcessEnv): StoresConfig => {
  try {
    return parseConfig(storesConfig, environment);
  } catch (error) {
    throw error instanceof ConfigError ? new UsageError(error.message, { cause: error }) : error;
  }
};
