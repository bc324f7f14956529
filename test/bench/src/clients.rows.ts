import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdtemp, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { promisify } from 'node:util';
import { Almanac } from '@almanac/client/node';
import type { snapshotsResponse } from '@almanac/contracts';
import { z } from 'zod';
import { dayOf, type Shape, tickerOf } from './data.js';
import { makeOnce } from './export-data.js';
import { postExport, removeObjects, whenReady } from './export-side.js';
import type { BenchHarness } from './harness.js';
import { comparePairs, median, type RunSide } from './pairs.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import { type BenchSize, inWords } from './size.js';
import { startWorker, type Worker } from './worker.js';

const run = promisify(execFile);
const pageRows = 5_000;
const marketsMax = 7;
const memoryMbMax = 80;

const clientOf = ({ gateway, system }: BenchHarness): Almanac =>
  new Almanac({ baseUrl: system.baseUrls[0], apiKey: gateway.headers.authorization.replace('Bearer ', '') });

const tickersOf = (shape: Shape): string[] =>
  Array.from({ length: Math.min(marketsMax, shape.marketsN) }, (_, market) => tickerOf(market, shape));

/** Every row once, by the client and by a loop over the pages that a user would write. */
const snapshotPages = async (harness: BenchHarness): Promise<Measured> => {
  const { shape, pairs } = harness.size.bulk;
  await makeOnce(harness, shape);
  const almanac = clientOf(harness);
  const rows = tickersOf(shape).length * shape.secondsN;
  const measured = async (read: (ticker: string) => Promise<number>) => {
    const startedAt = performance.now();
    let digest = 0;
    for (const ticker of tickersOf(shape)) digest += await read(ticker);
    return { rate: rows / ((performance.now() - startedAt) / 1_000), digest };
  };
  const ours: RunSide = () =>
    measured(async (ticker) => {
      let sum = 0;
      const list = almanac.markets.snapshots(ticker, { step_ms: 0, limit: pageRows });
      for await (const { ts } of list) sum += ts ?? 0;
      return sum;
    });
  const reference: RunSide = () => measured((ticker) => bareLoop(harness, ticker, shape));
  return measuredPairs(await comparePairs({ ours, reference }, pairs));
};

const bareLoop = async ({ gateway }: BenchHarness, ticker: string, shape: Shape): Promise<number> => {
  let sum = 0;
  const end = shape.openS + shape.secondsN;
  for (let start: number | null = shape.openS; start !== null;) {
    const query = `step_ms=0&limit=${pageRows}&start_ts=${start}&end_ts=${end}`;
    const response = await fetch(`${gateway.url}/markets/${ticker}/snapshots?${query}`, { headers: gateway.headers });
    const page = (await response.json()) as z.output<typeof snapshotsResponse>;
    for (const { ts } of page.snapshots) sum += ts ?? 0;
    start = page.next_start_ts;
  }
  return sum;
};

const downloaded = z.object({ seconds: z.number(), cpuSeconds: z.number(), addedMb: z.number() });
const bashTimes = z.tuple([z.coerce.number(), z.coerce.number()]);

/** One large file, and what is measured of its downloads. */
const withFile = async <T>(
  harness: BenchHarness,
  work: (file: { readonly id: string; readonly bytes: number; readonly folder: string }) => Promise<T>,
): Promise<T> => {
  const { large } = harness.size.exports;
  await makeOnce(harness, large);
  const { id } = await postExport(harness, { format: 'csv', series: large.series, day: dayOf(large) });
  const ready = await whenReady(harness, id);
  const folder = await mkdtemp(join(harness.home, 'downloads-'));
  try {
    return await work({ id, bytes: ready.bytes, folder });
  } finally {
    await rm(folder, { recursive: true });
    await removeObjects(harness, [ready.storage_key]);
  }
};

/** A process of its own, so that its memory is that of a download. */
const withDownloader = async <T>(work: (worker: Worker) => Promise<T>): Promise<T> => {
  const worker = startWorker('client-download');
  try {
    return await work(worker);
  } finally {
    await worker.stop();
  }
};

const downloads = (harness: BenchHarness): Promise<Measured> =>
  withFile(harness, async ({ id, bytes, folder }) => {
    const memories: number[] = [];
    const cpu: Record<'ours' | 'curl', number[]> = { ours: [], curl: [] };
    const [mine, theirs] = [join(folder, 'client.csv'), join(folder, 'curl.csv')];
    const ours: RunSide = () =>
      withDownloader(async (worker) => {
        await rm(mine, { force: true });
        const { gateway, system } = harness;
        const request = { baseUrl: system.baseUrls[0], authorization: gateway.headers.authorization, id, path: mine };
        const { seconds, cpuSeconds, addedMb } = await worker.send(request, downloaded);
        memories.push(addedMb);
        cpu.ours.push(cpuSeconds);
        return { rate: bytes / seconds, digest: await digestOf(mine) };
      });
    const reference: RunSide = async () => {
      const startedAt = performance.now();
      const header = `Authorization: ${harness.gateway.headers.authorization}`;
      const words = ['curl', '-sf', '-H', header, '-o', theirs, `${harness.gateway.url}/exports/${id}/file`];
      const { stderr } = await run('bash', ['-c', 'TIMEFORMAT="%U %S"; time "$@"', 'bash', ...words]);
      const seconds = (performance.now() - startedAt) / 1_000;
      const [user, system] = bashTimes.parse(stderr.trim().split(' '));
      cpu.curl.push(user + system);
      if ((await stat(theirs)).size !== bytes) throw new Error('curl has another number of bytes');
      return { rate: bytes / seconds, digest: await digestOf(theirs) };
    };
    const compared = await comparePairs({ ours, reference }, Math.min(3, harness.size.exports.pairs));
    const { notes, ...measured } = measuredPairs(compared);
    const memory = `the client added ${median(memories).toFixed(0)} MB of memory for ${(bytes / 1e6).toFixed(0)} MB`;
    const times = `processor time: ${median(cpu.ours).toFixed(2)} s, curl ${median(cpu.curl).toFixed(2)} s`;
    return { ...measured, notes: [...notes, memory, times] };
  });

const digestOf = async (path: string): Promise<number> => {
  const hash = createHash('sha256');
  await pipeline(createReadStream(path), hash);
  return hash.digest().readUInt32BE();
};

const downloadMemory = (harness: BenchHarness): Promise<Measured> =>
  withFile(harness, async ({ id, bytes, folder }) => {
    const { gateway, system } = harness;
    const path = join(folder, 'client.csv');
    const request = { baseUrl: system.baseUrls[0], authorization: gateway.headers.authorization, id, path };
    const { addedMb } = await withDownloader((worker) => worker.send(request, downloaded));
    const notes = [`${(bytes / 1e6).toFixed(0)} MB were stored`];
    return { ours: addedMb, reference: memoryMbMax, ratio: addedMb / memoryMbMax, notes };
  });

export const clientRows = ({ bulk, exports: { large } }: BenchSize): readonly BenchRow[] => {
  const rows = inWords(Math.min(marketsMax, bulk.shape.marketsN) * bulk.shape.secondsN);
  const file = `${inWords(large.marketsN * large.secondsN)} rows`;
  return [
    {
      name: `TypeScript client, all pages of ${rows} snapshots`,
      against: 'a bare fetch loop over the same pages',
      threshold: { atLeast: 0.8 },
      unit: 'rows/s',
      measure: snapshotPages,
    },
    {
      name: `TypeScript client, download of ${file}`,
      against: 'curl -o',
      threshold: { atLeast: 0.9 },
      unit: 'bytes/s',
      measure: downloads,
    },
    {
      name: `TypeScript client, memory that a download of ${file} adds`,
      against: `${memoryMbMax} MB`,
      threshold: { below: 1 },
      unit: 'MB',
      measure: downloadMemory,
    },
  ];
};
