import { setTimeout as delay } from 'node:timers/promises';
import { type ExportQuestion, type ExportResponse, exportResponse } from '@almanac/contracts';
import { connectObjectStore } from '@almanac/object-store';
import { z } from 'zod';
import { askJson } from './http-side.js';
import { startWorker, type Worker } from './worker.js';
import type { World } from './world.js';

const bucket = 'almanac';
const askEveryMs = 20;
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

/** Polls as a client does. Throws when it did not become ready. */
export const whenReady = async ({ gateway }: World, id: string): Promise<ExportResponse> => {
  for (const end = performance.now() + patienceMs; performance.now() < end; await delay(askEveryMs)) {
    const found = await askJson(exportResponse, `${gateway.url}/exports/${id}`, { headers: gateway.headers });
    if (found.status === 'ready') return found;
    if (found.status !== 'pending') throw new Error(`the export is ${found.status}: ${found.error}`);
  }
  throw new Error(`the export is not ready after ${patienceMs / 1_000} s`);
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
