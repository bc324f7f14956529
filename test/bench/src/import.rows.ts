import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { command, rows } from '@almanac/clickhouse';
import { z } from 'zod';
import { comparePairs, type RunSide } from './pairs.js';
import { type Recording, rowsIn, spanOf, writeRecording } from './recording.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import { startWorker } from './worker.js';
import type { BenchHarness } from './harness.js';

const table = 'snapshots_reference';
const done = z.object({ seconds: z.number() });

/** The stored rows of a recording with a checksum of their values. Throws when one is missing. */
const stored = async ({ admin }: BenchHarness, from: string, recording: Recording): Promise<number> => {
  const rowsN = rowsIn(recording);
  const { startS, endS } = spanOf(recording);
  const [found] = await rows(
    admin,
    {
      sql: `SELECT count() AS n, sum(cityHash64(ticker, series, ts, yes_best_bid, yes_best_ask, coin_price)) % 4294967296 AS digest
        FROM ${from} FINAL WHERE ts >= fromUnixTimestamp(${startS}) AND ts < fromUnixTimestamp(${endS})`,
      settings: { output_format_json_quote_64bit_integers: 0 },
    },
    z.object({ n: z.int(), digest: z.int() }),
  );
  if (found?.n !== rowsN) throw new Error(`${found?.n ?? 0} of ${rowsN} rows of a recording can be queried`);
  return found.digest;
};

const importRate = async (harness: BenchHarness): Promise<Measured> => {
  const { system, admin, clickhouse, home, size } = harness;
  const { infrastructure, secrets } = system;
  const refusedFolder = join(home, 'refused');
  const { pairs, linesN } = size.imports;
  const rowsN = rowsIn({ linesN });
  const file = (number: number): string => join(home, `recording-${number}.csv`);
  const [importing, inserting] = [startWorker('import-almanac'), startWorker('import-reference')];
  // A separate empty table, so that each side's rows can be counted.
  await command(admin, { sql: `CREATE TABLE IF NOT EXISTS ${table} AS snapshots` });
  const ours: RunSide = async (number) => {
    const bus = { natsUrl: infrastructure.natsUrl, password: secrets.nats.ingest };
    const { seconds } = await importing.send({ file: file(number), refusedFolder, ...bus }, done);
    return { rate: rowsN / seconds, digest: await stored(harness, 'snapshots', { number, linesN }) };
  };
  const reference: RunSide = async (number) => {
    await command(admin, { sql: `TRUNCATE TABLE ${table}` });
    const account = { ...clickhouse, username: 'admin', password: secrets.clickhouse.admin };
    const { seconds } = await inserting.send({ file: file(number), refusedFolder, table, ...account }, done);
    return { rate: rowsN / seconds, digest: await stored(harness, table, { number, linesN }) };
  };
  try {
    for (let number = 0; number <= pairs; number += 1) await writeRecording(file(number), { number, linesN });
    await comparePairs({ ours, reference }, 1);
    const later =
      (shoot: RunSide): RunSide =>
      (round) =>
        shoot(round + 1);
    return measuredPairs(await comparePairs({ ours: later(ours), reference: later(reference) }, pairs));
  } finally {
    await Promise.all([importing.stop(), inserting.stop()]);
    for (let number = 0; number <= pairs; number += 1) await rm(file(number), { force: true });
    await command(admin, { sql: `DROP TABLE IF EXISTS ${table}` });
  }
};

export const importRows: readonly BenchRow[] = [
  {
    name: 'import, to queryable',
    against: 'one process inserting the same batches',
    threshold: { atLeast: 0.5 },
    unit: 'rows/s',
    measure: importRate,
  },
];
