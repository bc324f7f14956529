import type { ExportFormatId } from '@almanac/contracts';
import { z } from 'zod';
import { dayOf, eventOf, type Shape, tickerOf } from './data.js';
import { makeOnce } from './export-data.js';
import {
  type ExportSelection,
  postExport,
  exportQueryOf,
  removeObjects,
  whenReady,
  withReference,
} from './export-side.js';
import { comparePairs, type RunSide } from './pairs.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import { type BenchSize, inWords } from './size.js';
import type { BenchHarness } from './harness.js';

const rowsAnEvent = ({ marketsAnEvent, secondsN }: Shape): number => marketsAnEvent * secondsN;
const stored = z.object({ bytes: z.int(), sha256: z.string(), seconds: z.number() });

/** Large files, another event in each round. Our Parquet has more metadata, so its bytes differ. */
const largeFiles = async (harness: BenchHarness, format: ExportFormatId): Promise<Measured> => {
  const { large, pairs, warmPairs } = harness.size.exports;
  const rowsN = rowsAnEvent(large);
  await makeOnce(harness, large);
  const digestOf = (sha256: string): number => (format === 'parquet' ? 0 : Number.parseInt(sha256.slice(0, 8), 16));
  return withReference(harness, async (worker) => {
    const selectionOf = (round: number): ExportSelection => ({
      format,
      event: eventOf(round * large.marketsAnEvent, large),
    });
    const ours: RunSide = async (round) => {
      const startedAt = performance.now();
      const { id } = await postExport(harness, selectionOf(round));
      const ready = await whenReady(harness, id);
      const seconds = (performance.now() - startedAt) / 1_000;
      if (ready.row_count !== rowsN) throw new Error(`the file has ${ready.row_count} rows`);
      await removeObjects(harness, [ready.storage_key]);
      return { rate: rowsN / seconds, digest: digestOf(ready.sha256 ?? '') };
    };
    const reference: RunSide = async (round) => {
      const key = `files/reference/${round}.${format}`;
      const exportQuery = { ...exportQueryOf(selectionOf(round)), series: large.series };
      const { seconds, sha256 } = await worker.send({ kind: 'file', key, question: exportQuery }, stored);
      await removeObjects(harness, [key]);
      return { rate: rowsN / seconds, digest: digestOf(sha256) };
    };
    await comparePairs({ ours, reference }, warmPairs);
    const later =
      (shoot: RunSide): RunSide =>
      (round) =>
        shoot(round + warmPairs);
    return measuredPairs(await comparePairs({ ours: later(ours), reference: later(reference) }, pairs));
  });
};

const clients = 32;
const queueFormats = ['csv', 'json', 'jsonl.gz'] as const;
/** Queries in one request to the reference, since its answer has a deadline. */
const queriesPerRequest = 100;
const answered = z.object({ bytes: z.int(), seconds: z.number() });

/** Runs work for all items with limited concurrency. Returns the results in order. */
const inParallel = async <T, R>(all: readonly T[], work: (one: T) => Promise<R>): Promise<R[]> => {
  const results: R[] = [];
  const left = all.entries();
  const client = async (): Promise<void> => {
    for (const [at, one] of left) results[at] = await work(one);
  };
  await Promise.all(Array.from({ length: clients }, client));
  return results;
};

/** All markets concurrently, each as a separate file, in another format in each round. */
const smallFiles = async (harness: BenchHarness): Promise<Measured> => {
  const { small, queues } = harness.size.exports;
  await makeOnce(harness, small);
  const selectionOf = (round: number): ExportSelection[] => {
    const format = queueFormats[round % queueFormats.length] ?? 'csv';
    return Array.from({ length: small.marketsN }, (_, market) => ({ format, ticker: tickerOf(market, small) }));
  };
  return withReference(harness, async (worker) => {
    const ours: RunSide = async (round) => {
      const startedAt = performance.now();
      const posted = await inParallel(selectionOf(round), (one) => postExport(harness, one));
      const ready = [];
      for (const { id } of posted) ready.push(await whenReady(harness, id));
      const seconds = (performance.now() - startedAt) / 1_000;
      if (ready.some(({ row_count }) => row_count !== small.secondsN)) throw new Error('a file is not whole');
      await removeObjects(
        harness,
        ready.map(({ storage_key }) => storage_key),
      );
      return { rate: ready.length / seconds, digest: ready.reduce((sum, { bytes }) => sum + bytes, 0) };
    };
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
    return measuredPairs(await comparePairs({ ours, reference }, queues));
  });
};

const memoryFormats = ['parquet', 'csv', 'jsonl.gz'] as const;
const mostMb = 250;

/** The peak memory of a fresh worker for a file of each format, one after the other. */
const workersPeak = async (harness: BenchHarness, target: Partial<ExportSelection>, rows: number): Promise<number> => {
  await harness.system.kill('export');
  await harness.system.restart('export');
  for (const format of memoryFormats) {
    const { id } = await postExport(harness, { ...target, format });
    const ready = await whenReady(harness, id);
    if (ready.row_count !== rows) throw new Error(`the file has ${ready.row_count} rows`);
    await removeObjects(harness, [ready.storage_key]);
  }
  const found = (await harness.memory()).find(({ name }) => name === 'export');
  if (found === undefined) throw new Error('export does not run');
  return found.mostMb;
};

interface Peaks {
  readonly event: number;
  readonly day: number;
}

const peaks = new WeakMap<BenchHarness, Promise<Peaks>>();

/** Both sizes, measured once for the two rows about them. No other row uses their event. */
const peaksOf = (harness: BenchHarness): Promise<Peaks> => {
  const { large } = harness.size.exports;
  const measure = async () => {
    await makeOnce(harness, large);
    const event = await workersPeak(harness, { event: eventOf(large.marketsN - 1, large) }, rowsAnEvent(large));
    const target = { series: large.series, day: dayOf(large) };
    return { event, day: await workersPeak(harness, target, large.marketsN * large.secondsN) };
  };
  const known = peaks.get(harness) ?? measure();
  peaks.set(harness, known);
  return known;
};

const peakGrowth = async (harness: BenchHarness): Promise<Measured> => {
  const { event, day } = await peaksOf(harness);
  return { ours: day, reference: event, ratio: day / event, notes: [memoryFormats.join(', ')] };
};

const peakAtMost = async (harness: BenchHarness): Promise<Measured> => {
  const { day } = await peaksOf(harness);
  return { ours: day, reference: mostMb, ratio: day / mostMb, notes: [memoryFormats.join(', ')] };
};

export const exportRows = ({ exports: { large, small } }: BenchSize): readonly BenchRow[] => [
  ...(['parquet', 'csv', 'jsonl.gz'] as const).map((format) => ({
    name: `export of ${inWords(rowsAnEvent(large))} rows, ${format}`,
    against: 'engine, sha256, multipart into the same S3',
    threshold: { atLeast: 0.8 },
    unit: 'rows/s',
    measure: (harness: BenchHarness) => largeFiles(harness, format),
  })),
  {
    name: `exports, ${inWords(small.marketsN)} small ones queued at once`,
    against: 'their queries one after the other',
    threshold: { atLeast: 0.5 },
    unit: 'exports/s',
    measure: smallFiles,
  },
  {
    name: `export of ${inWords(large.marketsN * large.secondsN)} rows, peak memory`,
    against: `${inWords(rowsAnEvent(large))} rows`,
    threshold: { below: 1.2 },
    unit: 'MB',
    measure: peakGrowth,
  },
  {
    name: `export of ${inWords(large.marketsN * large.secondsN)} rows, peak memory at most`,
    against: 'what is allowed',
    threshold: { below: 1 },
    unit: 'MB',
    strict: true,
    measure: peakAtMost,
  },
];
