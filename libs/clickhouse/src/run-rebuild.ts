import {
  clickhouseVariables,
  ConfigError,
  natsTlsVariables,
  parseConfig,
  processVariables,
  variable,
} from '@almanac/runtime';
import { z } from 'zod';
import { clickHouseOptions } from './connect-from-config.js';
import { type ClickHouse, connectClickHouse } from './connect.js';
import { RebuildRefusedError } from './rebuild-lease.js';

/** The ClickHouse user may create, exchange and drop the tables of the read model, like the user of the migrations. */
const variables = z.object({
  NATS_URL: processVariables.NATS_URL,
  NATS_USER: variable.text(),
  NATS_PASSWORD: processVariables.NATS_PASSWORD,
  ...natsTlsVariables,
  NATS_PARTITIONS: processVariables.NATS_PARTITIONS,
  ...clickhouseVariables,
});

interface RebuildProgram {
  /** The read model at the start of a sentence, such as `The catalogue`. */
  readonly model: string;
  readonly natsUser: string;
  /** Time limit of a statement over a whole table. */
  readonly statementMsMax: number;
  /** What the program prints when a signal stops it, and its exit code. */
  readonly stopped: readonly [sentence: string, exitCode: number];
  /** Returns the sentence that the program prints at its end. */
  readonly rebuild: (
    config: z.output<typeof variables>,
    clickhouse: ClickHouse,
    signal: AbortSignal,
  ) => Promise<string>;
}

/** Runs a rebuild as this process. Exits with 0, or with another code and a sentence with the reason. */
export const runRebuild = async ({ model, natsUser, statementMsMax, stopped, rebuild }: RebuildProgram) => {
  const stopping = new AbortController();
  for (const name of ['SIGINT', 'SIGTERM'] as const) process.once(name, () => stopping.abort());
  try {
    const config = parseConfig(variables.extend({ NATS_USER: variable.text().default(natsUser) }));
    const limits = { requestTimeoutMs: statementMsMax, application: 'almanac-rebuild' };
    const clickhouse = connectClickHouse({ ...clickHouseOptions(config), ...limits });
    try {
      process.stdout.write(`${await rebuild(config, clickhouse, stopping.signal)}\n`);
    } finally {
      await clickhouse.close();
    }
  } catch (error) {
    const [sentence, exitCode] = stopping.signal.aborted ? stopped : [reasonOf(error, model), 1];
    process.stderr.write(`${sentence}\n`);
    process.exitCode = exitCode;
  }
};

const reasonOf = (error: unknown, model: string): string => {
  if (!(error instanceof Error)) throw error;
  if (error instanceof RebuildRefusedError || error instanceof ConfigError) return error.message;
  return `${model} could not be rebuilt: ${error.stack ?? error.message}`;
};
