import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { dayOf } from './data.js';
import { postExport, removeObjects, whenReady } from './export-side.js';
import { comparePairs, type RunSide } from './pairs.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import { snapshotInputOf } from './snapshots.rows.js';
import { windowsRead } from './window-reader-job.js';
import { startWorker } from './worker.js';
import type { BenchHarness } from './harness.js';

const pairs = 3;
const downloadMsMax = 300_000;

/** What a researcher would do instead: buy the day as one Parquet file, and read its windows with DuckDB in Node. */
const downloadDay = async (harness: BenchHarness): Promise<string> => {
  const { archive } = harness.size;
  const target = { series: archive.series, day: dayOf(archive), format: 'parquet' } as const;
  const { id } = await postExport(harness, target);
  const { download_url, storage_key } = await whenReady(harness, id);
  if (download_url === null) throw new Error('the export has no link');
  const path = join(harness.home, 'day.parquet');
  const { body } = await fetch(download_url, { signal: AbortSignal.timeout(downloadMsMax) });
  if (body === null) throw new Error('the download has no body');
  await pipeline(Readable.fromWeb(body), createWriteStream(path));
  await removeObjects(harness, [storage_key]);
  return path;
};

const measure = async (harness: BenchHarness): Promise<Measured> => {
  const { size, gateway } = harness;
  const path = await downloadDay(harness);
  const worker = startWorker('window-reader');
  let offset = 0;
  const side =
    (job: object): RunSide =>
    async (round) => {
      const windows = Array.from({ length: size.duckdbWindowsN }, (_, index) =>
        snapshotInputOf(offset + round * size.duckdbWindowsN + index, size.archive),
      );
      const { seconds, digest } = await worker.send({ ...job, windows }, windowsRead);
      return { rate: windows.length / seconds, digest };
    };
  const sides = {
    ours: side({ kind: 'api', url: gateway.url, authorization: gateway.headers.authorization }),
    reference: side({ kind: 'parquet', path }),
  };
  try {
    await comparePairs(sides, 1);
    offset = size.duckdbWindowsN;
    return measuredPairs(await comparePairs(sides, pairs));
  } finally {
    await worker.stop();
    await rm(path);
  }
};

export const duckdbRows: readonly BenchRow[] = [
  {
    name: 'snapshots, cold, as objects in Node',
    against: 'DuckDB in Node over the same day as Parquet',
    threshold: { atLeast: 20 },
    unit: 'windows/s',
    measure,
  },
];
