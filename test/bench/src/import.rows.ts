import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { command, rows } from '@almanac/clickhouse';
import { z } from 'zod';
import type { BenchHarness } from './harness.js';
import { comparePairs, type RunSide } from './pairs.js';
import { type Recording, rowsIn, spanOf, tickersOf, writeRecording, writeTradeRecording } from './recordings.js';
import type { BenchEntry, Measured } from './row.js';
import { type BenchSize, inWords } from './size.js';
import { type Worker, withWorker } from './worker.js';

const done = z.object({ seconds: z.number() });

/** Imports a file in a running process. Returns the seconds. */
const importFile = async (worker: Worker, { system, home }: BenchHarness, file: string): Promise<number> => {
  const bus = { natsUrl: system.infrastructure.natsUrl, password: system.secrets.nats.ingest };
  return (await worker.send({ file, refusedFolder: join(home, 'refused'), ...bus }, done)).seconds;
};

/** A checksum of the rows that can be queried. Throws when one is missing. */
const digestOf = async ({ admin }: BenchHarness, rowsN: number, from: string, values: string): Promise<number> => {
  const sql = `SELECT count() AS n, sum(cityHash64(${values})) % 4294967296 AS digest FROM ${from}`;
  const settings = { output_format_json_quote_64bit_integers: 0 } as const;
  const [found] = await rows(admin, { sql, settings }, z.object({ n: z.int(), digest: z.int() }));
  if (found?.n !== rowsN) throw new Error(`${found?.n ?? 0} of ${rowsN} rows of a recording can be queried`);
  return found.digest;
};

const quotesDigest = (harness: BenchHarness, table: string, recording: Recording): Promise<number> => {
  const { startS, endS } = spanOf(recording);
  const from = `${table} FINAL WHERE ts >= fromUnixTimestamp(${startS}) AND ts < fromUnixTimestamp(${endS})`;
  return digestOf(harness, rowsIn(recording), from, 'ticker, series, ts, yes_best_bid, yes_best_ask, coin_price');
};

const table = 'snapshots_reference';

/** A separate empty table gets the rows of the reference, so that each side's rows can be counted. */
const quotes = (harness: BenchHarness): Promise<Measured> =>
  withWorker('import-almanac', (importing) =>
    withWorker('import-reference', async (inserting) => {
      const { system, admin, clickhouse, home, size } = harness;
      const { pairs, linesN } = size.imports;
      const rate = (seconds: number): number => rowsIn({ linesN }) / seconds;
      const file = (number: number): string => join(home, `recording-${number}.csv`);
      await command(admin, { sql: `CREATE TABLE IF NOT EXISTS ${table} AS snapshots` });
      const ours: RunSide = async (number) => {
        const seconds = await importFile(importing, harness, file(number));
        return { rate: rate(seconds), digest: await quotesDigest(harness, 'snapshots', { number, linesN }) };
      };
      const reference: RunSide = async (number) => {
        await command(admin, { sql: `TRUNCATE TABLE ${table}` });
        const account = { ...clickhouse, username: 'admin', password: system.secrets.clickhouse.admin };
        const work = { file: file(number), refusedFolder: join(home, 'refused'), table, ...account };
        const { seconds } = await inserting.send(work, done);
        return { rate: rate(seconds), digest: await quotesDigest(harness, table, { number, linesN }) };
      };
      try {
        for (let number = 0; number <= pairs; number += 1) await writeRecording(file(number), { number, linesN });
        return await comparePairs({ ours, reference }, pairs, 1);
      } finally {
        for (let number = 0; number <= pairs; number += 1) await rm(file(number), { force: true });
        await command(admin, { sql: `DROP TABLE IF EXISTS ${table}` });
      }
    }),
  );

/** The recordings of quotes have other markets and times than those of the row of imports. */
const quotesFrom = 100;
/** Recordings with neighbouring numbers begin two days apart, with a line every 2 s. */
const linesApart = 86_400;

const trades = (harness: BenchHarness): Promise<Measured> =>
  withWorker('import-almanac', async (importing) => {
    const { pairs, tradesN } = harness.size.trades;
    const linesN = Math.ceil(tradesN / rowsIn({ linesN: 1 }));
    const [tradeFile, quoteFile] = [join(harness.home, 'trades.jsonl'), join(harness.home, 'quotes.csv')];
    const ours: RunSide = async (number) => {
      await writeTradeRecording(tradeFile, { number, tradesN });
      const seconds = await importFile(importing, harness, tradeFile);
      const tickers = tickersOf({ number, tradesN }).map((ticker) => `'${ticker}'`);
      await digestOf(harness, tradesN, `trades FINAL WHERE ticker IN (${tickers.join(', ')})`, 'ticker');
      return { rate: tradesN / seconds, digest: 0 };
    };
    const reference: RunSide = async (number) => {
      const recording = { number: quotesFrom + number * Math.ceil(linesN / linesApart), linesN };
      await writeRecording(quoteFile, recording);
      const seconds = await importFile(importing, harness, quoteFile);
      await quotesDigest(harness, 'snapshots', recording);
      return { rate: rowsIn(recording) / seconds, digest: 0 };
    };
    try {
      return await comparePairs({ ours, reference }, pairs);
    } finally {
      for (const file of [tradeFile, quoteFile]) await rm(file, { force: true });
    }
  });

export const importRows = ({ trades: { tradesN } }: BenchSize): readonly BenchEntry[] => [
  {
    name: 'import, to queryable',
    gain: 'An operator knows how long a recording takes until users can read it.',
    against: 'one process inserting the same batches',
    threshold: { atLeast: 0.5 },
    unit: 'rows/s',
    measure: quotes,
  },
  {
    name: `import of ${inWords(tradesN)} trades, to queryable`,
    gain: 'An operator imports trades about as fast as quotes.',
    against: 'the import of as many quotes',
    threshold: { atLeast: 0.6 },
    unit: 'rows/s',
    measure: trades,
  },
];
