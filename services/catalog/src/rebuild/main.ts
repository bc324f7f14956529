import { busOptions, connectBus } from '@almanac/bus';
import { clickHouseOptions, connectClickHouse, RebuildRefusedError } from '@almanac/clickhouse';
import { clickhouseVariables, ConfigError, parseConfig, processVariables, variable } from '@almanac/runtime';
import { z } from 'zod';
import { type Progress, rebuildCatalogue } from './rebuild-catalogue.js';

/** Its user of ClickHouse may make, exchange and drop the catalogue's tables: the one of the migrations. */
const config = z.object({
  NATS_URL: processVariables.NATS_URL,
  NATS_USER: variable.text().default('catalog'),
  NATS_PASSWORD: processVariables.NATS_PASSWORD,
  ...clickhouseVariables,
});

/** A statement over all markets, such as merging them. */
const statementMsMax = 1_800_000;
const exitCodeOfSignal = 130;

const counted = (count: number): string => count.toLocaleString('en-US');

const progressLine = ({ events, of, perSecond }: Progress): string =>
  `${Math.floor((events * 100) / Math.max(1, of))}% of ${counted(of)} events, ${counted(perSecond)} a second`;

/** A line that is drawn over on a terminal; elsewhere lines of their own. */
const show = (line: string): void => {
  if (process.stderr.isTTY) process.stderr.write(`\r\u001b[K${line}`);
  else if (line !== '') process.stderr.write(`${line}\n`);
};

/** Rebuilds the catalogue's tables from their events, and ends: code 0, or 1 with one sentence that says why not. */
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
