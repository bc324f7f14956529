import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, it } from 'node:test';
import { type RunningServer } from '@almanac/local';
import { processMetrics, readSamples, sumOfSamples } from '@almanac/runtime';
import { testServers } from '@almanac/testing';
import { connectObjectStore, type ObjectStore } from './index.js';

const credentials = { accessKeyId: 'almanac', secretAccessKey: 'a secret of the tests' };
const bucket = 'files';
let dir: string;
let s3: RunningServer;
let store: ObjectStore;
before(async () => {
  dir = await mkdtemp(join(tmpdir(), 'almanac-objects-'));
  s3 = await (await testServers()).s3({ dir, bucket, ...credentials });
  store = connectObjectStore({ endpoint: s3.url, region: 'us-east-1', bucket, ...credentials });
  await store.ensureBucket();
});
after(async () => {
  store.close();
  await s3.stop();
  await rm(dir, { recursive: true, force: true });
});

const requests = async (operation: string, outcome: string) =>
  sumOfSamples(await readSamples(processMetrics), 'almanac_s3_requests_total', { operation, outcome });

it('every request is counted by operation and outcome, all parts of an upload as one operation', async () => {
  const megabytes = (count: number) => Readable.from(Array.from({ length: count }, () => Buffer.alloc(1_048_576)));
  await store.putStream('small', megabytes(1), { contentType: 'text/csv' });
  assert.equal(await requests('put', 'ok'), 1);
  await store.putStream('large', megabytes(20), { contentType: 'text/csv' });
  assert.equal(await requests('complete_upload', 'ok'), 1);
  assert.ok(((await requests('upload_part', 'ok')) ?? 0) >= 2);
  assert.equal(await store.head('nothing'), undefined);
  assert.equal(await requests('head', 'not_found'), 1);
  const stranger = connectObjectStore({
    endpoint: s3.url,
    region: 'us-east-1',
    bucket,
    accessKeyId: 'almanac',
    secretAccessKey: 'another secret',
  });
  await assert.rejects(stranger.head('small'));
  stranger.close();
  assert.equal(await requests('head', 'refused'), 1);
  assert.equal(
    sumOfSamples(await readSamples(processMetrics), 'almanac_s3_request_seconds_count', { operation: 'head' }),
    2,
  );
});
