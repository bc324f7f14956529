import { clickhouseVariables, ConfigError, parseConfig } from '@almanac/runtime';
import { z } from 'zod';
import { clickHouseOptions } from './connect-from-config.js';
import { connectClickHouse } from './connect.js';
import { migrate, migrationMsMax } from './migrate.js';

/** Migrates the schema and exits with code 0, or with code 1 and one line with the reason. */
const main = async (): Promise<void> => {
  const config = parseConfig(z.object(clickhouseVariables));
  const clickhouse = connectClickHouse({
    ...clickHouseOptions(config),
    application: 'almanac-migrate',
    requestTimeoutMs: migrationMsMax,
  });
  try {
    const applied = await migrate(clickhouse);
    process.stdout.write(applied.length === 0 ? 'The schema is up to date.\n' : `Applied ${applied.join(', ')}.\n`);
  } finally {
    await clickhouse.close();
  }
};

try {
  await main();
} catch (error) {
  const sentence = error instanceof Error ? error.message : String(error);
  process.stderr.write(error instanceof ConfigError ? `migrate: ${sentence}\n` : `The migration failed: ${sentence}\n`);
  process.exitCode = 1;
}
