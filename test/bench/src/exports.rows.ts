import type { ExportFormatId } from '@almanac/contracts';
import { z } from 'zod';
import { inParallel } from './concurrent.js';
import { dayOf, eventOf, makeOnce, type Shape, tickerOf } from './data.js';
import {
  exportQueryOf,
  type ExportSelection,
  postExport,
  removeObjects,
  whenReady,
  withExport,
  withReference,
} from './export-side.js';
import type { BenchHarness } from './harness.js';
import { comparePairs, type RunSide, secondsSince } from './pairs.js';
import { type BenchEntry, type Measured, measuredAgainst } from './row.js';
import { type BenchSize, inWords } from './size.js';

const rowsAnEvent = ({ marketsAnEvent, secondsN }: Shape): number => marketsAnEvent * secondsN;
const stored = z.object({ bytes: z.int(), sha256: z.string(), seconds: z.number() });

/** Large files, another event in each round. Our Parquet has more metadata, so its bytes differ. */
const largeFiles = async (harness: BenchHarness, format: ExportFormatId): Promise<Measured> => {
  const { large, pairs, warmPairs } = harness.size.exports;
  const rowsN = rowsAnEvent(large);
  await makeOnce(harness, large);
  const digestOf = (sha256: string): number => (format === 'parquet' ? 0 : Number.parseInt(sha256.slice(0, 8), 16));
  return withReference(harness, (worker) => {
    const selectionOf = (round: number) => ({ format, event: eventOf(round * large.marketsAnEvent, large) });
    const ours: RunSide = (round) => {
      const startedAt = performance.now();
      return withExport(harness, { ...selectionOf(round), rowsN }, ({ sha256 }) => ({
        rate: rowsN / secondsSince(startedAt),
        digest: digestOf(sha256 ?? ''),
      }));
    };
    const reference: RunSide = async (round) => {
      const key = `files/reference/${round}.${format}`;
      const exportQuery = { ...exportQueryOf(selectionOf(round)), series: large.series };
      const { seconds, sha256 } = await worker.send({ kind: 'file', key, question: exportQuery }, stored);
      await removeObjects(harness, [key]);
      return { rate: rowsN / seconds, digest: digestOf(sha256) };
    };
    return comparePairs({ ours, reference }, pairs, warmPairs);
  });
};

const clients = 32;
const queueFormats = ['csv', 'json', 'jsonl.gz'] as const;
/** Queries in one request to the reference, since its answer has a deadline. */
const queriesPerRequest = 100;
const answered = z.object({ bytes: z.int(), seconds: z.number() });

/** All markets concurrently, each as a separate file, in another format in each round. */
const smallFiles = async (harness: BenchHarness): Promise<Measured> => {
  const { small, queues } = harness.size.exports;
  await makeOnce(harness, small);
  const selectionOf = (round: number): ExportSelection[] => {
    const format = queueFormats[round % queueFormats.length] ?? 'csv';
    return Array.from({ length: small.marketsN }, (_, market) => ({ format, ticker: tickerOf(market, small) }));
  };
  const ours: RunSide = async (round) => {
    const startedAt = performance.now();
    const posted = await inParallel(selectionOf(round), clients, (selection) => postExport(harness, selection));
    const ready = [];
    for (const { id } of posted) ready.push(await whenReady(harness, id));
    const seconds = secondsSince(startedAt);
    if (ready.some(({ row_count }) => row_count !== small.secondsN)) throw new Error('a file is not whole');
    const keys = ready.map(({ storage_key }) => storage_key);
    await removeObjects(harness, keys);
    return { rate: ready.length / seconds, digest: ready.reduce((sum, { bytes }) => sum + bytes, 0) };
  };
  return withReference(harness, (worker) => {
    const reference: RunSide = async (round) => {
      const exportQueries = selectionOf(round).map(exportQueryOf);
      const sum = { seconds: 0, bytes: 0 };
      for (let at = 0; at < exportQueries.length; at += queriesPerRequest) {
        const some = { kind: 'queries', questions: exportQueries.slice(at, at + queriesPerRequest) };
        const { seconds, bytes } = await worker.send(some, answered);
        sum.seconds += seconds;
        sum.bytes += bytes;
      }
      return { rate: exportQueries.length / sum.seconds, digest: sum.bytes };
    };
    return comparePairs({ ours, reference }, queues);
  });
};

const formats = ['parquet', 'csv', 'jsonl.gz'] as const;
const mostMb = 250;

/** The peak memory of a fresh worker for a file of each format, one after the other. */
const workersPeak = async (harness: BenchHarness, target: Partial<ExportSelection>, rowsN: number): Promise<number> => {
  await harness.system.kill('export');
  await harness.system.restart('export');
  for (const format of formats) await withExport(harness, { ...target, format, rowsN }, () => undefined);
  const found = (await harness.memory()).find(({ name }) => name === 'export');
  if (found === undefined) throw new Error('export does not run');
  return found.mostMb;
};

/** No other row uses the last event. */
const peak = async (harness: BenchHarness): Promise<Measured> => {
  const { large } = harness.size.exports;
  await makeOnce(harness, large);
  const event = await workersPeak(harness, { event: eventOf(large.marketsN - 1, large) }, rowsAnEvent(large));
  const target = { series: large.series, day: dayOf(large) };
  const day = await workersPeak(harness, target, large.marketsN * large.secondsN);
  const notes = [
    `${formats.join(', ')}: a tenth of the rows took ${event} MB, so all took ${(day / event).toFixed(2)} x`,
  ];
  return measuredAgainst(day, mostMb, ...notes);
};

const gains: Readonly<Record<(typeof formats)[number], string>> = {
  parquet: 'A researcher who loads a million rows as Parquet waits about as long as the database needs for them.',
  csv: 'A user who opens a million rows in a spreadsheet or a script waits about as long as the database needs for them.',
  'jsonl.gz': 'A program gets a million rows as small compressed lines without paying for it in time.',
};

export const exportRows = ({ exports: { large, small } }: BenchSize): readonly BenchEntry[] => [
  ...formats.map((format) => ({
    name: `export of ${inWords(rowsAnEvent(large))} rows, ${format}`,
    gain: gains[format],
    against: 'engine, sha256, multipart into the same S3',
    threshold: { atLeast: 0.8 },
    unit: 'rows/s',
    measure: (harness: BenchHarness) => largeFiles(harness, format),
  })),
  {
    name: `exports, ${inWords(small.marketsN)} small ones queued at once`,
    gain: 'A script may request a file for each of its markets at once, and an operator knows how fast the queue drains.',
    against: 'their queries one after the other',
    threshold: { atLeast: 0.5 },
    unit: 'exports/s',
    measure: smallFiles,
  },
  {
    name: `export of ${inWords(large.marketsN * large.secondsN)} rows, peak memory at most`,
    gain: 'An operator can give the export service a fixed memory, because no size of file and no format needs more.',
    against: 'what is allowed',
    threshold: { below: 1 },
    unit: 'MB',
    strict: true,
    measure: peak,
  },
];
