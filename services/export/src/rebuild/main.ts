import { busOptions, connectBus } from '@almanac/bus';
import { clickHouseOptions, connectClickHouse, RebuildRefusedError } from '@almanac/clickhouse';
import { clickhouseVariables, ConfigError, parseConfig, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { rebuildList } from './rebuild-list.js';

/** Needs a ClickHouse user that may create, exchange and drop the table of exports: the user of the migrations. */
const config = z.object({
  NATS_URL: processVariables.NATS_URL,
  NATS_USER: variable.text().default('export'),
  NATS_PASSWORD: processVariables.NATS_PASSWORD,
  ...clickhouseVariables,
});

const statementMsMax = 600_000;

/** Rebuilds the table of exports from its events and exits with 0, or with 1 and one sentence that says why. */
const main = async (): Promise<void> => {
  const parsedConfig = parseConfig(config);
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) {
    process.once(name, () => stopped.abort(new Error('the rebuild was stopped, and the list is unchanged')));
  }
  const clickhouse = connectClickHouse({
    ...clickHouseOptions(parsedConfig),
    requestTimeoutMs: statementMsMax,
    application: 'almanac-rebuild',
  });
  try {
    const bus = await connectBus(busOptions(parsedConfig));
    try {
      const startedAt = performance.now();
      const onUnreadable = (error: unknown, { subject, seq }: { subject: string; seq: number }): void =>
        void process.stderr.write(`Skipped an unreadable event: ${subject}, ${seq}: ${String(error)}\n`);
      const events = await rebuildList({ bus, clickhouse, signal: stopped.signal, onUnreadable });
      const seconds = ((performance.now() - startedAt) / 1_000).toFixed(1);
      process.stdout.write(
        `Rebuilt the list of exports from ${events.toLocaleString('en-US')} events in ${seconds} s.\n`,
      );
    } finally {
      await bus.close();
    }
  } finally {
    await clickhouse.close();
  }
};

try {
  await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const expected = error instanceof RebuildRefusedError || error instanceof ConfigError;
  process.stderr.write(`${expected ? error.message : `The list of exports could not be rebuilt: ${error.message}`}\n`);
  process.exitCode = 1;
}
