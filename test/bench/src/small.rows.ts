import { setTimeout as delay } from 'node:timers/promises';
import { exportResponse, previewResponse } from '@almanac/contracts';
import { z } from 'zod';
import { tickerOf } from './data.js';
import { requestBytes, requestJson, compareHttp, getRequest } from './http-side.js';
import type { Check } from './load-job.js';
import type { BenchRow, Measured } from './row.js';
import type { BenchHarness } from './harness.js';

/** Compares a path with a constant answer to bare express that sends a copy of the answer. */
const againstExpress = async (
  harness: BenchHarness,
  path: string,
  check: Check = { kind: 'whole' },
): Promise<Measured> => {
  const { gateway, bare } = harness;
  const bytes = await requestBytes(gateway.url + path, { headers: gateway.headers });
  await bare.express.send({ kind: 'bytes', name: 'copy', bytes }, z.object({}));
  const ours = { port: gateway.port, request: () => getRequest(`/api/v1${path}`, gateway.headers) };
  const reference = { port: bare.port, request: () => getRequest('/bytes/copy') };
  return compareHttp(harness, { ours, reference, check, distinct: 1 });
};

const timeoutMs = 60_000;
const pollMs = 50;

const until = async <T>(poll: () => Promise<T>, done: (value: T) => boolean): Promise<T> => {
  for (const end = performance.now() + timeoutMs; ; await delay(pollMs)) {
    const value = await poll();
    if (done(value)) return value;
    if (performance.now() > end) throw new Error(`not done in ${timeoutMs} ms: ${JSON.stringify(value).slice(0, 300)}`);
  }
};

const preview = async (harness: BenchHarness): Promise<Measured> => {
  const { url, headers } = harness.gateway;
  const path = `/markets/${tickerOf(1, harness.size.archive)}/preview`;
  await until(
    () => requestJson(previewResponse, url + path, { headers }),
    ({ pending }) => !pending,
  );
  return againstExpress(harness, path);
};

const exportPoll = async (harness: BenchHarness): Promise<Measured> => {
  const { url, headers } = harness.gateway;
  const body = JSON.stringify({ ticker: tickerOf(2, harness.size.archive), format: 'csv' });
  const postOptions = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  const { id } = await requestJson(exportResponse, `${url}/exports`, postOptions);
  const path = `/exports/${id}`;
  const ended = await until(
    () => requestJson(exportResponse, url + path, { headers }),
    ({ status }) => status !== 'pending',
  );
  if (ended.status !== 'ready') throw new Error(`the export is ${ended.status}: ${ended.error}`);
  // The link contains its remaining lifetime, so the answer changes every second.
  return againstExpress(harness, path, { kind: 'text', text: '"status":"ready"' });
};

const unit = 'requests/s';
const smallBody = 'bare express, same small body';

export const smallRows: readonly BenchRow[] = [
  { name: 'preview, ready', against: 'bare express, same bytes', threshold: { atLeast: 0.5 }, unit, measure: preview },
  { name: 'export poll', against: smallBody, threshold: { atLeast: 0.25 }, unit, measure: exportPoll },
  {
    name: 'export formats, authenticated and limited',
    against: smallBody,
    threshold: { atLeast: 0.6 },
    unit,
    measure: (harness) => againstExpress({ ...harness, gateway: harness.limited }, '/exports/formats'),
  },
];
