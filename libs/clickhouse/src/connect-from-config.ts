import type { Check, Runtime } from '@almanac/runtime';
import { diskFault, seldom } from './checks.js';
import { type ClickHouse, type ClickHouseOptions, connectClickHouse } from './connect.js';
import { newerSchema, schemaFault } from './schema-state.js';

/** `clickhouseVariables`, parsed. */
export interface ClickHouseConfig {
  readonly CLICKHOUSE_URL: string;
  readonly CLICKHOUSE_USER: string;
  readonly CLICKHOUSE_PASSWORD: string;
  readonly CLICKHOUSE_DATABASE: string;
}

/** How a configuration reaches ClickHouse. */
export const clickHouseOptions = (
  config: ClickHouseConfig,
): Pick<ClickHouseOptions, 'url' | 'username' | 'password' | 'database'> => ({
  url: config.CLICKHOUSE_URL,
  username: config.CLICKHOUSE_USER,
  password: config.CLICKHOUSE_PASSWORD,
  database: config.CLICKHOUSE_DATABASE,
});

/** The client that a process' configuration names: part of its health, and closed at its stop. */
export const clickHouseFromConfig = (
  config: ClickHouseConfig,
  { health, onStop }: Pick<Runtime, 'health' | 'onStop'>,
  options: { readonly application: string; readonly requestTimeoutMs?: number },
): ClickHouse => {
  const clickhouse = connectClickHouse({ ...clickHouseOptions(config), ...options });
  onStop('clickhouse', () => clickhouse.close());
  health.checks.set('clickhouse', stateOf(clickhouse));
  const newer = seldom(() => newerSchema(clickhouse));
  health.optional.set('clickhouse_schema', newer);
  const disk = seldom(() => diskFault(clickhouse));
  health.optional.set('clickhouse_disk', disk);
  return clickhouse;
};

/** A schema that was whole once stays so. */
const stateOf = (clickhouse: ClickHouse): Check => {
  let isWhole = false;
  return async () => {
    await clickhouse.ping();
    if (isWhole) return null;
    const fault = await schemaFault(clickhouse);
    isWhole = fault === null;
    return fault;
  };
};
