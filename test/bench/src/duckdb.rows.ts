import { createWriteStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { dayOf } from './data.js';
import { postExport, removeObjects, whenReady } from './export-side.js';
import type { BenchHarness } from './harness.js';
import { comparePairs, type RunSide } from './pairs.js';
import type { BenchEntry, Measured } from './row.js';
import { windowsRead } from './window-reader-job.js';
import { windowAt } from './windows.js';
import { withWorker } from './worker.js';

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
  try {
    return await withWorker('window-reader', (worker) => {
      const side =
        (job: object): RunSide =>
        async (round) => {
          const windows = Array.from({ length: size.duckdbWindowsN }, (_, index) =>
            windowAt(round * size.duckdbWindowsN + index, size.archive),
          );
          const { seconds, digest } = await worker.send({ ...job, windows }, windowsRead);
          return { rate: windows.length / seconds, digest };
        };
      const ours = side({ kind: 'api', url: gateway.url, authorization: gateway.headers.authorization });
      return comparePairs({ ours, reference: side({ kind: 'parquet', path }) }, pairs, 1);
    });
  } finally {
    await rm(path);
  }
};

export const duckdbRows: readonly BenchEntry[] = [
  {
    name: 'snapshots, cold, as objects in Node',
    gain: 'A researcher reads any window sooner than from a file of the day on the same machine.',
    against: 'DuckDB in Node over the same day as Parquet',
    threshold: { atLeast: 20 },
    unit: 'windows/s',
    measure,
  },
];
