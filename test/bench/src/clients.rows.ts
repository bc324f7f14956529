import { execFile } from 'node:child_process';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Almanac } from '@almanac/client/node';
import type { snapshotsResponse } from '@almanac/contracts';
import { findBinary } from '@almanac/local-servers';
import { z } from 'zod';
import { dayOf, makeOnce, type Shape, tickerOf } from './data.js';
import { withExport } from './export-side.js';
import type { BenchHarness } from './harness.js';
import { comparePairs, median, type RunSide, secondsSince } from './pairs.js';
import { type BenchEntry, type BenchFolder, type Measured, measuredAgainst } from './row.js';
import { type BenchSize, inWords } from './size.js';
import { withWorker } from './worker.js';

const run = promisify(execFile);
const pageRows = 5_000;
const marketsMax = 7;
const memoryMbMax = 80;

const keyOf = ({ gateway }: BenchHarness): string => gateway.headers.authorization.replace('Bearer ', '');

/** Every row once, by the client and by a loop over the pages that a user would write. */
const snapshotPages = async (harness: BenchHarness): Promise<Measured> => {
  const { shape, pairs } = harness.size.bulk;
  await makeOnce(harness, shape);
  const almanac = new Almanac({ baseUrl: harness.system.baseUrls[0], apiKey: keyOf(harness) });
  const tickers = Array.from({ length: Math.min(marketsMax, shape.marketsN) }, (_, at) => tickerOf(at, shape));
  const side =
    (read: (ticker: string) => Promise<number>): RunSide =>
    async () => {
      const startedAt = performance.now();
      let digest = 0;
      for (const ticker of tickers) digest += await read(ticker);
      return { rate: (tickers.length * shape.secondsN) / secondsSince(startedAt), digest };
    };
  const ours = side(async (ticker) => {
    let sum = 0;
    const list = almanac.markets.snapshots(ticker, { step_ms: 0, limit: pageRows });
    for await (const { ts } of list) sum += ts ?? 0;
    return sum;
  });
  return comparePairs({ ours, reference: side((ticker) => bareLoop(harness, ticker, shape)) }, pairs);
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

const downloaded = z.object({ addedMb: z.number() });

/** In a process of its own, so that its memory is that of a download. */
const downloadMemory = async (harness: BenchHarness): Promise<Measured> => {
  const { large } = harness.size.exports;
  await makeOnce(harness, large);
  const target = { format: 'csv', series: large.series, day: dayOf(large) } as const;
  return withExport(harness, { ...target, rowsN: large.marketsN * large.secondsN }, async ({ id, bytes }) => {
    const path = join(harness.home, 'download.csv');
    const request = { baseUrl: harness.system.baseUrls[0], apiKey: keyOf(harness), id, path };
    try {
      const { addedMb } = await withWorker('client-download', (worker) => worker.send(request, downloaded));
      if ((await stat(path)).size !== bytes) throw new Error('the download has another number of bytes');
      return measuredAgainst(addedMb, memoryMbMax, `${(bytes / 1e6).toFixed(0)} MB were stored`);
    } finally {
      await rm(path, { force: true });
    }
  });
};

const folder = fileURLToPath(new URL('../../../clients/python/', import.meta.url));
/** What `replay` of bench.py has as its reference. */
const replayRate = 200_000;
const pythonOutput = z.object({ ours: z.number(), reference: z.number(), ratios: z.array(z.number()) });

/** Python compares in one process, on CPU time, so that the start of Python does not count. */
const python = async (name: 'table' | 'replay', { size }: BenchFolder): Promise<Measured> => {
  const env = { ...process.env, PYTHONPATH: `${folder}src`, PYTHONDONTWRITEBYTECODE: '1' };
  const args = ['bench.py', String(size.python.rowsN), name];
  const { stdout } = await run(await findBinary('python/python3'), args, { cwd: folder, env, timeout: 280_000 });
  const { ours, reference, ratios } = pythonOutput.parse(JSON.parse(stdout));
  return { ours, reference, ratio: median(ratios), notes: [ratios.map((ratio) => ratio.toFixed(2)).join(' ')] };
};

export const clientRows = ({ bulk: { shape }, exports: { large }, python: { rowsN } }: BenchSize) => {
  const pages = inWords(Math.min(marketsMax, shape.marketsN) * shape.secondsN);
  const file = `${inWords(large.marketsN * large.secondsN)} rows`;
  return [
    {
      name: `TypeScript client, all pages of ${pages} snapshots`,
      gain: 'A user of the TypeScript client gets retries, types and pages at the speed of a loop of their own.',
      against: 'a bare fetch loop over the same pages',
      threshold: { atLeast: 0.8 },
      unit: 'rows/s',
      measure: snapshotPages,
    },
    {
      name: `TypeScript client, memory that a download of ${file} adds`,
      shows: 'Whether a download stays a stream.',
      against: `${memoryMbMax} MB`,
      threshold: { below: 1 },
      unit: 'MB',
      strict: true,
      measure: downloadMemory,
    },
    {
      name: `Python client, to_df of ${inWords(rowsN)} rows`,
      gain: 'A researcher gets a typed table in Python in about the time in which pandas reads the bytes.',
      against: 'pandas.read_csv of the same answer',
      threshold: { atLeast: 0.6 },
      unit: 'rows/s',
      isAlone: true,
      measure: (bench: BenchFolder) => python('table', bench),
    },
    {
      name: `Python client, replay of 10 markets with ${inWords(rowsN)} rows each`,
      shows: 'The processor time that a replay needs for a row.',
      against: `${inWords(replayRate)} rows/s`,
      threshold: { atLeast: 1 },
      unit: 'rows/s',
      isAlone: true,
      measure: (bench: BenchFolder) => python('replay', bench),
    },
  ] satisfies readonly BenchEntry[];
};
