import { type ExportQuery, type ExportResponse, exportResponse } from '@almanac/contracts';
import { connectObjectStore } from '@almanac/object-store';
import { z } from 'zod';
import { requestBytes, requestJson } from './http-side.js';
import { type Worker, withWorker } from './worker.js';
import type { BenchHarness } from './harness.js';

const bucket = 'almanac';
const timeoutMs = 600_000;

/** The target of an export, with defaults for the rest. */
export type ExportSelection = Partial<ExportQuery> & Pick<ExportQuery, 'format'>;

export const exportQueryOf = (selection: ExportSelection): ExportQuery => ({
  event: null,
  ticker: null,
  series: null,
  day: null,
  streams: ['snapshots', 'settlement'],
  numbers: 'decimal',
  ...selection,
});

export const postExport = ({ gateway }: BenchHarness, selection: ExportSelection): Promise<ExportResponse> => {
  const headers = { ...gateway.headers, 'content-type': 'application/json' };
  const body = JSON.stringify(exportQueryOf(selection));
  return requestJson(exportResponse, `${gateway.url}/exports`, { method: 'POST', headers, body });
};

/** Follows the event stream of an export, which a client without polling does. Throws when the export fails. */
export const whenReady = async ({ gateway }: BenchHarness, id: string): Promise<ExportResponse> => {
  const eventStream = await requestBytes(`${gateway.url}/exports/${id}/events`, gateway, timeoutMs);
  const lines = eventStream.toString().split('\n');
  const last = lines.findLast((line) => line.startsWith('data:'));
  const found = exportResponse.parse(JSON.parse(last?.slice('data:'.length) ?? 'null'));
  if (found.status !== 'ready') throw new Error(`the export is ${found.status}: ${found.error}`);
  return found;
};

/** Removes objects that are no longer needed: those of one row take some gigabytes. */
export const removeObjects = async ({ system }: BenchHarness, keys: readonly (string | null)[]): Promise<void> => {
  const { infrastructure, secrets } = system;
  const objects = connectObjectStore({ endpoint: infrastructure.s3Url, region: 'us-east-1', bucket, ...secrets.s3 });
  try {
    for (const key of keys) if (key !== null) await objects.delete(key);
  } finally {
    objects.close();
  }
};

/** Requests a file of `rowsN` rows, uses it when it is ready, and removes it. */
export const withExport = async <T>(
  harness: BenchHarness,
  { rowsN, ...selection }: ExportSelection & { readonly rowsN: number },
  use: (ready: ExportResponse) => T | Promise<T>,
): Promise<T> => {
  const ready = await whenReady(harness, (await postExport(harness, selection)).id);
  if (ready.row_count !== rowsN) throw new Error(`the file has ${ready.row_count} rows`);
  try {
    return await use(ready);
  } finally {
    await removeObjects(harness, [ready.storage_key]);
  }
};

/** Runs work with the reference, which uses the export service's own ClickHouse user. */
export const withReference = <T>(harness: BenchHarness, work: (reference: Worker) => Promise<T>): Promise<T> =>
  withWorker('export-reference', async (reference) => {
    const { infrastructure, secrets } = harness.system;
    const clickhouse = { url: infrastructure.clickhouseUrl, username: 'export', password: secrets.clickhouse.export };
    const s3 = { endpoint: infrastructure.s3Url, ...secrets.s3 };
    await reference.send({ kind: 'start', clickhouse, s3, bucket }, z.object({}));
    return work(reference);
  });
