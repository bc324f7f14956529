import { mkdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { command, rows } from '@almanac/clickhouse';
import { z } from 'zod';
import type { BenchHarness } from './harness.js';
import {
  bookTickers,
  framesFile,
  hourCatalogueFile,
  hourFile,
  hourMarket,
  hourName,
  type ImportFile,
  quoteColumns,
  quotesFile,
  quoteValues,
  recordedDay,
  structureOf,
  tradeColumns,
  tradesFile,
  tradesOf,
  tradeValues,
  writeImportFile,
} from './import-files.js';
import { importFiles } from './import-program.js';
import { comparePairs, type RunSide, secondsSince } from './pairs.js';
import { type BenchEntry, type Measured, measuredAgainst } from './row.js';
import { type BenchSize, inWords } from './size.js';

const digestRow = z.object({ n: z.coerce.number(), digest: z.coerce.number() });

/** The number of rows that can be queried, and a checksum of them. */
const digestOf = async (
  { admin }: BenchHarness,
  columns: string,
  from: string,
): Promise<z.output<typeof digestRow>> => {
  const sql = `SELECT count() AS n, sum(cityHash64(${columns})) % 4294967296 AS digest FROM ${from}`;
  const [found] = await rows(admin, { sql }, digestRow);
  return found ?? { n: 0, digest: 0 };
};

/** Rows that ClickHouse inserts on its own: the same file, and a table like that of the archive. */
interface Inserted {
  readonly table: 'snapshots' | 'trades';
  readonly columns: string;
  /** The columns from those of the file. */
  readonly values: string;
  readonly fileOf: (round: number) => ImportFile;
  /** Which rows of the table are those of a round. */
  readonly where: (round: number) => string;
}

const quotes = (format: 'CSVWithNames' | 'Parquet', firstDay: number, rowsN: number): Inserted => ({
  table: 'snapshots',
  columns: quoteColumns,
  values: quoteValues,
  fileOf: (round) => quotesFile(format, firstDay + round, rowsN),
  where: (round) => {
    const { startS, endS } = recordedDay(firstDay + round);
    return `series = 'KXIMPORT' AND ts >= fromUnixTimestamp(${startS}) AND ts < fromUnixTimestamp(${endS})`;
  },
});

const trades = (rowsN: number): Inserted => ({
  table: 'trades',
  columns: tradeColumns,
  values: tradeValues,
  fileOf: (round) => tradesFile(round, rowsN),
  where: (round) => `startsWith(ticker, '${tradesOf(round)}-')`,
});

/** Writes files for the work into a folder of their own, which is removed. */
const withFiles = async <T>(
  { home, admin }: BenchHarness,
  files: Readonly<Record<string, ImportFile>>,
  work: (folder: string) => Promise<T>,
): Promise<T> => {
  const folder = join(home, 'to-import');
  await mkdir(folder);
  try {
    for (const [name, file] of Object.entries(files)) await writeImportFile(admin, join(folder, name), file);
    return await work(folder);
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
};

/** The import of files against ClickHouse, which inserts the same file into a table like that of the archive. */
const againstInserts = async (harness: BenchHarness, given: Inserted): Promise<Measured> => {
  const { admin, home, size } = harness;
  const { rowsN, pairs } = size.imports;
  const { table, columns, values, fileOf, where } = given;
  const reference = `${table}_reference`;
  const peaks: number[] = [];
  const mapping = join(home, 'mapping.yaml');
  const onFile = <T>(round: number, work: (path: string, file: ImportFile) => Promise<T>): Promise<T> => {
    const file = fileOf(round);
    const name = `${table}-${round}.${file.ending}`;
    return withFiles(harness, { [name]: file }, (folder) => work(join(folder, name), file));
  };
  const resultOf = async (from: string, round: number, seconds: number) => {
    const { n, digest } = await digestOf(harness, columns, `${from} FINAL WHERE ${where(round)}`);
    if (n !== rowsN) throw new Error(`${n} of ${rowsN} rows can be queried in ${from}`);
    return { rate: rowsN / seconds, digest };
  };
  const imported: RunSide = async (round) => {
    await writeFile(mapping, fileOf(round).mapping ?? '');
    const done = await onFile(round, (path) => importFiles(home, [path, '--mapping', mapping]));
    peaks.push(done.peakMb);
    return resultOf(table, round, done.seconds);
  };
  const inserted: RunSide = async (round) => {
    await command(admin, { sql: `TRUNCATE TABLE ${reference}` });
    const seconds = await onFile(round, async (path, file) => {
      const startedAt = performance.now();
      const from = `file('${path}', '${file.format}', '${structureOf(file)}')`;
      await command(admin, { sql: `INSERT INTO ${reference} (${columns}) SELECT ${values} FROM ${from}` });
      return secondsSince(startedAt);
    });
    return resultOf(reference, round, seconds);
  };
  await command(admin, { sql: `CREATE TABLE IF NOT EXISTS ${reference} AS ${table}` });
  try {
    const measured = await comparePairs({ ours: imported, reference: inserted }, pairs);
    return { ...measured, notes: [...measured.notes, peakNote(Math.max(...peaks))] };
  } finally {
    await command(admin, { sql: `DROP TABLE IF EXISTS ${reference}` });
  }
};

const peakNote = (peakMb: number): string => `the importer had ${peakMb.toFixed(0)} MB at most`;

/** Changes of order books a second, with the start of the program, against what an operator is promised. */
const frames = async (harness: BenchHarness, round: number, sample: string): Promise<Measured> => {
  const { framesN, sampledPerS, everyPerS } = harness.size.imports;
  const changesN = sample === '1s' ? framesN : Math.ceil(framesN / 3);
  const done = await withFiles(harness, { 'frames.jsonl': framesFile(round, changesN) }, (folder) =>
    importFiles(harness.home, [folder, '--sample', sample]),
  );
  const of = `snapshots FINAL WHERE startsWith(ticker, '${bookTickers(round)}-')`;
  const { n } = await digestOf(harness, 'ticker', of);
  if (sample !== '1s' && n < changesN) throw new Error(`${n} books of ${changesN} changes can be queried`);
  const notes = [`${n} books stored`, peakNote(done.peakMb)];
  return measuredAgainst(changesN / done.seconds, sample === '1s' ? sampledPerS : everyPerS, ...notes);
};

const hour = async (harness: BenchHarness): Promise<Measured> => {
  const { hourRowsN, hourSeconds } = harness.size.imports;
  const files = { 'gamma.jsonl': hourCatalogueFile(hourRowsN), [hourName]: hourFile(hourRowsN) };
  const done = await withFiles(harness, files, (folder) => importFiles(harness.home, [folder]));
  const { n } = await digestOf(harness, 'ticker', `snapshots FINAL WHERE startsWith(ticker, '${hourMarket}-')`);
  if (n === 0) throw new Error(`no book of the hour can be queried: ${done.output}`);
  return measuredAgainst(done.seconds, hourSeconds, `${n} books stored`, peakNote(done.peakMb));
};

const ofDatabase = { against: 'ClickHouse inserting the same file into such a table', unit: 'rows/s' };
const owed = 'what is promised';

export const importRows = ({
  imports: { rowsN, framesN, hourRowsN, sampledPerS, everyPerS },
}: BenchSize): readonly BenchEntry[] => [
  {
    name: `import of ${inWords(rowsN)} quotes, Parquet, to queryable`,
    gain: 'An operator waits for a Parquet file at most twice as long as the database itself needs for it.',
    ...ofDatabase,
    threshold: { atLeast: 0.5 },
    measure: (harness) => againstInserts(harness, quotes('Parquet', 0, rowsN)),
  },
  {
    name: `import of ${inWords(rowsN)} quotes, CSV, to queryable`,
    gain: 'An operator imports ten million lines of CSV in well under a minute.',
    ...ofDatabase,
    threshold: { atLeast: 0.4 },
    measure: (harness) => againstInserts(harness, quotes('CSVWithNames', 10, rowsN)),
  },
  {
    name: `import of ${inWords(rowsN)} trades, Parquet, to queryable`,
    shows: 'What an import of trades costs beside ClickHouse, which neither checks nor counts them.',
    ...ofDatabase,
    threshold: { atLeast: 0.5 },
    measure: (harness) => againstInserts(harness, trades(rowsN)),
  },
  {
    name: `import of ${inWords(framesN)} changes of books, sampled each second`,
    gain: 'An operator imports a quoted hour of a whole venue in seconds.',
    against: `${owed}: ${sampledPerS.toLocaleString('en')}/s`,
    threshold: { atLeast: 1 },
    unit: 'changes/s',
    measure: (harness) => frames(harness, 0, '1s'),
  },
  {
    name: 'import of whole books, every change',
    shows: 'What it costs to store the whole book after each change.',
    against: `${owed}: ${everyPerS.toLocaleString('en')}/s`,
    threshold: { atLeast: 1 },
    unit: 'books/s',
    measure: (harness) => frames(harness, 1, 'every-change'),
  },
  {
    name: `import of an hour of ${inWords(hourRowsN)} rows in the hourly layout`,
    gain: 'An operator imports a public archive of hours many times faster than it was recorded.',
    against: owed,
    threshold: { below: 1 },
    unit: 's',
    measure: hour,
  },
];
