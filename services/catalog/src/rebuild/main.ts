import { busOptions, connectBus } from '@almanac/bus';
import { clickHouseOptions, connectClickHouse, RebuildRefusedError } from '@almanac/clickhouse';
import { clickhouseVariables, ConfigError, parseConfig, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { type Progress, rebuildCatalogue } from './rebuild-catalogue.js';

/** Its ClickHouse user may create, exchange and drop the catalogue's tables, like the user of the migrations. */
const config = z.object({
  NATS_URL: processVariables.NATS_URL,
  NATS_USER: variable.text().default('catalog'),
  NATS_PASSWORD: processVariables.NATS_PASSWORD,
  ...clickhouseVariables,
});

/** For a statement over all markets, such as a merge. */
const statementMsMax = 1_800_000;
const exitCodeOfSignal = 130;

const counted = (count: number): string => count.toLocaleString('en-US');

const progressLine = ({ events, of, perSecond }: Progress): string =>
  `${Math.floor((events * 100) / Math.max(1, of))}% of ${counted(of)} events, ${counted(perSecond)} a second`;

/** Overwrites one line on a terminal, and writes separate lines elsewhere. */
const show = (line: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (line !== '') process.stderr.write(`${line}\n`);
};

/** Rebuilds the catalogue's tables from their events. Exits with 0, or with 1 and a sentence with the reason. */
const main = async (): Promise<void> => {
  const parsedConfig = parseConfig(config);
  const stopped = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopped.abort());
  const clickhouse = connectClickHouse({
    ...clickHouseOptions(parsedConfig),
    requestTimeoutMs: statementMsMax,
    application: 'almanac-rebuild',
  });
  try {
    const bus = await connectBus(busOptions(parsedConfig));
    try {
      const { events, seconds } = await rebuildCatalogue({
        bus,
        clickhouse,
        signal: stopped.signal,
        onProgress: (progress) => show(progressLine(progress)),
        onUnreadable: (error, { subject, seq }) =>
          show(`Skipped an unreadable event: ${subject}, ${seq}: ${String(error)}\n`),
      });
      show('');
      process.stdout.write(`Rebuilt the catalogue from ${counted(events)} events in ${seconds.toFixed(1)} s.\n`);
    } finally {
      await bus.close();
    }
  } catch (error) {
    if (!stopped.signal.aborted) throw error;
    show('');
    process.stderr.write('Stopped. The catalogue is unchanged.\n');
    process.exitCode = exitCodeOfSignal;
  } finally {
    await clickhouse.close();
  }
};

try {
  await main();
} catch (error) {
  if (!(error instanceof Error)) throw error;
  const expected = error instanceof RebuildRefusedError || error instanceof ConfigError;
  const sentence = expected ? error.message : `The catalogue could not be rebuilt: ${error.stack ?? error.message}`;
  process.stderr.write(`${sentence}\n`);
  process.exitCode = 1;
}
