import { type ExportQuestion, type ExportResponse, exportResponse } from '@almanac/contracts';
import { connectObjectStore } from '@almanac/object-store';
import { z } from 'zod';
import { askBytes, askJson } from './http-side.js';
import { startWorker, type Worker } from './worker.js';
import type { World } from './world.js';

const bucket = 'almanac';
const patienceMs = 600_000;

/** What an export asks for, as little as names it. */
export type Asked = Partial<ExportQuestion> & Pick<ExportQuestion, 'format'>;

export const questionOf = (asked: Asked): ExportQuestion => ({
  event: null,
  ticker: null,
  series: null,
  day: null,
  streams: ['snapshots', 'settlement'],
  ...asked,
});

export const postExport = ({ gateway }: World, asked: Asked): Promise<ExportResponse> => {
  const headers = { ...gateway.headers, 'content-type': 'application/json' };
  const body = JSON.stringify(questionOf(asked));
  return askJson(exportResponse, `${gateway.url}/exports`, { method: 'POST', headers, body });
};

/** Follows its events, which end with it, as a client does that need not poll. Throws when it did not become ready. */
export const whenReady = async ({ gateway }: World, id: string): Promise<ExportResponse> => {
  const told = await askBytes(`${gateway.url}/exports/${id}/events`, { headers: gateway.headers }, patienceMs);
  const last = told
    .toString()
    .split('\n')
    .findLast((line) => line.startsWith('data:'));
  const found = exportResponse.parse(JSON.parse(last?.slice('data:'.length) ?? 'null'));
  if (found.status !== 'ready') throw new Error(`the export is ${found.status}: ${found.error}`);
  return found;
};

/** Removes objects that nobody will ask for: those of one row are some gigabytes. */
export const removeObjects = async ({ system }: World, keys: readonly (string | null)[]): Promise<void> => {
  const { infrastructure, secrets } = system;
  const objects = connectObjectStore({ endpoint: infrastructure.s3Url, region: 'us-east-1', bucket, ...secrets.s3 });
  try {
    for (const key of keys) if (key !== null) await objects.delete(key);
  } finally {
    objects.close();
  }
};

/** Lets the reference work, as the export service's own user of the engine. */
export const withReference = async <T>(world: World, work: (reference: Worker) => Promise<T>): Promise<T> => {
  const { infrastructure, secrets } = world.system;
  const reference = startWorker('export-reference');
  try {
    const clickhouse = { url: infrastructure.clickhouseUrl, username: 'export', password: secrets.clickhouse.export };
    const s3 = { endpoint: infrastructure.s3Url, ...secrets.s3 };
    await reference.ask({ kind: 'start', clickhouse, s3, bucket }, z.object({}));
    return await work(reference);
  } finally {
    await reference.stop();
  }
};
