import { setTimeout as delay } from 'node:timers/promises';
import { exportResponse, previewResponse } from '@almanac/contracts';
import { z } from 'zod';
import { tickerOf } from './data.js';
import { askBytes, askJson, compareHttp, getRequest } from './http-side.js';
import type { Check } from './load-job.js';
import type { BenchRow, Measured } from './row.js';
import type { World } from './world.js';

/** A path whose answer does not change, against bare express that sends a copy of the answer. */
const againstExpress = async (world: World, path: string, check: Check = { kind: 'whole' }): Promise<Measured> => {
  const { gateway, bare } = world;
  const bytes = await askBytes(gateway.url + path, { headers: gateway.headers });
  await bare.express.ask({ kind: 'bytes', name: 'copy', bytes }, z.object({}));
  const ours = { port: gateway.port, request: () => getRequest(`/api/v1${path}`, gateway.headers) };
  const reference = { port: bare.port, request: () => getRequest('/bytes/copy') };
  return compareHttp(world, { ours, reference, check, distinct: 1 });
};

const patienceMs = 60_000;
const askEveryMs = 50;

const until = async <T>(ask: () => Promise<T>, done: (value: T) => boolean): Promise<T> => {
  for (const end = performance.now() + patienceMs; ; await delay(askEveryMs)) {
    const value = await ask();
    if (done(value)) return value;
    if (performance.now() > end)
      throw new Error(`not done in ${patienceMs} ms: ${JSON.stringify(value).slice(0, 300)}`);
  }
};

const preview = async (world: World): Promise<Measured> => {
  const { url, headers } = world.gateway;
  const path = `/markets/${tickerOf(1, world.size.archive)}/preview`;
  await until(
    () => askJson(previewResponse, url + path, { headers }),
    ({ pending }) => !pending,
  );
  return againstExpress(world, path);
};

const exportPoll = async (world: World): Promise<Measured> => {
  const { url, headers } = world.gateway;
  const body = JSON.stringify({ ticker: tickerOf(2, world.size.archive), format: 'csv' });
  const asked = { method: 'POST', headers: { ...headers, 'content-type': 'application/json' }, body };
  const { id } = await askJson(exportResponse, `${url}/exports`, asked);
  const path = `/exports/${id}`;
  const ended = await until(
    () => askJson(exportResponse, url + path, { headers }),
    ({ status }) => status !== 'pending',
  );
  if (ended.status !== 'ready') throw new Error(`the export is ${ended.status}: ${ended.error}`);
  // Its link says how long it holds, so the answer is another one every second.
  return againstExpress(world, path, { kind: 'text', text: '"status":"ready"' });
};

const unit = 'requests/s';
const smallBody = 'bare express, same small body';

export const smallRows: readonly BenchRow[] = [
  { name: 'preview, ready', against: 'bare express, same bytes', owed: { atLeast: 0.5 }, unit, measure: preview },
  { name: 'export poll', against: smallBody, owed: { atLeast: 0.25 }, unit, measure: exportPoll },
  {
    name: 'export formats, authenticated and limited',
    against: smallBody,
    owed: { atLeast: 0.6 },
    unit,
    measure: (world) => againstExpress({ ...world, gateway: world.limited }, '/exports/formats'),
  },
];
