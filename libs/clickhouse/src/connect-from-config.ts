import { type Check, type Runtime, serverCertificate, watchCertificates } from '@almanac/runtime';
import { brokenPartFault } from './broken-parts.js';
import { cachedCheck, diskFault, newerSchema, schemaFault } from './checks.js';
import { type ClickHouse, type ClickHouseOptions, connectClickHouse } from './connect.js';

export interface ClickHouseConfig {
  readonly CLICKHOUSE_URL: string;
  readonly CLICKHOUSE_USER: string;
  readonly CLICKHOUSE_PASSWORD: string;
  readonly CLICKHOUSE_DATABASE: string;
  readonly CLICKHOUSE_CLUSTER?: string | undefined;
}

export const clickHouseOptions = (
  config: ClickHouseConfig,
): Pick<ClickHouseOptions, 'url' | 'username' | 'password' | 'database' | 'cluster'> => ({
  url: config.CLICKHOUSE_URL,
  username: config.CLICKHOUSE_USER,
  password: config.CLICKHOUSE_PASSWORD,
  database: config.CLICKHOUSE_DATABASE,
  cluster: config.CLICKHOUSE_CLUSTER,
});

/** Creates the ClickHouse client of a process. It is part of the health checks and closes on stop. */
export const clickHouseFromConfig = (
  config: ClickHouseConfig,
  runtime: Pick<Runtime, 'health' | 'onStop' | 'log'>,
  options: { readonly application: string; readonly requestTimeoutMs?: number },
): ClickHouse => {
  const { health, onStop } = runtime;
  const clickhouse = connectClickHouse({ ...clickHouseOptions(config), ...options });
  watchCertificates('clickhouse', serverCertificate('server of ClickHouse', config.CLICKHOUSE_URL), runtime);
  onStop('clickhouse', () => clickhouse.close());
  health.checks.set('clickhouse', stateOf(clickhouse));
  const newerSchemaCheck = cachedCheck(() => newerSchema(clickhouse));
  health.degradable.set('clickhouse_schema', newerSchemaCheck);
  const disk = cachedCheck(() => diskFault(clickhouse));
  health.degradable.set('clickhouse_disk', disk);
  health.degradable.set('clickhouse_parts', brokenPartFault);
  return clickhouse;
};

/** A complete schema stays complete. */
const stateOf = (clickhouse: ClickHouse): Check => {
  let isComplete = false;
  return async () => {
    await clickhouse.ping();
    if (isComplete) return null;
    const fault = await schemaFault(clickhouse);
    isComplete = fault === null;
    return fault;
  };
};
