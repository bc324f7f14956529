import { type ExportQuery, type ExportResponse, exportResponse } from '@almanac/contracts';
import { connectObjectStore } from '@almanac/object-store';
import { z } from 'zod';
import { requestBytes, requestJson } from './http-side.js';
import { startWorker, type Worker } from './worker.js';
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
  const eventStream = await requestBytes(
    `${gateway.url}/exports/${id}/events`,
    { headers: gateway.headers },
    timeoutMs,
  );
  const last = eventStream
    .toString()
    .split('\n')
    .findLast((line) => line.startsWith('data:'));
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

/** Runs work with the reference, which uses the export service's own ClickHouse user. */
export const withReference = async <T>(harness: BenchHarness, work: (reference: Worker) => Promise<T>): Promise<T> => {
  const { infrastructure, secrets } = harness.system;
  const reference = startWorker('export-reference');
  try {
    const clickhouse = { url: infrastructure.clickhouseUrl, username: 'export', password: secrets.clickhouse.export };
    const s3 = { endpoint: infrastructure.s3Url, ...secrets.s3 };
    await reference.send({ kind: 'start', clickhouse, s3, bucket }, z.object({}));
    return await work(reference);
  } finally {
    await reference.stop();
  }
};
