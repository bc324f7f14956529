import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { CreateMultipartUploadCommand, S3Client } from '@aws-sdk/client-s3';
import { processMetrics, readSamples, sumOfSamples } from '@almanac/runtime';
import { testS3, type TestS3 } from '@almanac/testing';
import { list } from './list.js';
import { connectObjectStore, ObjectStoreError, type ObjectStore, type ObjectStoreOptions } from './index.js';

const contentType = 'text/csv';
const region = 'us-east-1';

describe('an object store', () => {
  let s3: TestS3;
  let store: ObjectStore;
  const connect = (options: Partial<ObjectStoreOptions> = {}): ObjectStore =>
    connectObjectStore({ ...s3, endpoint: s3.url, region, ...options });
  before(async () => {
    s3 = await testS3();
    store = connect();
    await store.ensureBucket();
  });
  after(async () => {
    store.close();
    await s3.stop();
  });

  it('lists its objects and open uploads by key prefix, page after page', async () => {
    const keys = ['listed/a', 'listed/b', 'listed/c', 'listed/d/e', 'listed/f'];
    const began = Date.now();
    for (const key of [...keys, 'other']) await store.putStream(key, Readable.from(['x']), { contentType });
    const client = new S3Client({ endpoint: s3.url, region, credentials: s3, forcePathStyle: true });
    const listed = await all(list({ client, bucket: s3.bucket }, 'listed/', 2));
    assert.deepEqual(
      listed.map(({ key }) => key),
      keys,
    );
    assert.ok(listed.every(({ modifiedAt }) => Math.abs(modifiedAt.getTime() - began) < 600_000));
    assert.deepEqual(await all(store.list('listed/')), listed);
    for (const key of ['listed/upload', 'other/upload']) {
      await client.send(new CreateMultipartUploadCommand({ Bucket: s3.bucket, Key: key }));
    }
    client.destroy();
    const uploads = await all(store.openUploads('listed/'));
    assert.deepEqual(
      uploads.map(({ key }) => key),
      ['listed/upload'],
    );
    for (const upload of [...uploads, ...uploads]) await store.abandonUpload(upload);
    assert.deepEqual(await all(store.openUploads('listed/')), []);
    assert.equal((await all(store.openUploads('other/'))).length, 1);
  });

  it('streams the bytes of an object with their type, and nothing for a missing object', async () => {
    const sent = Buffer.alloc(3_000_000, 'ab');
    await store.putStream('read/me', Readable.from([sent]), { contentType });
    const read = (await store.read('read/me')) ?? assert.fail('it is there');
    assert.equal(read.contentType, contentType);
    assert.ok(Buffer.concat(await read.body.toArray()).equals(sent));
    assert.equal(await store.read('read/none'), undefined);
  });

  it('counts every request by operation and outcome, all parts of an upload as one operation', async () => {
    const earlier = await readSamples(processMetrics);
    const counted = async (name: string, labels: Readonly<Record<string, string>>): Promise<number> => {
      const now = sumOfSamples(await readSamples(processMetrics), name, labels) ?? 0;
      return now - (sumOfSamples(earlier, name, labels) ?? 0);
    };
    const requests = (operation: string, outcome: string) =>
      counted('almanac_s3_requests_total', { operation, outcome });
    const megabytes = (count: number) => Readable.from(Array.from({ length: count }, () => Buffer.alloc(1_048_576)));
    await store.putStream('small', megabytes(1), { contentType });
    assert.equal(await requests('put', 'ok'), 1);
    await store.putStream('large', megabytes(8), { contentType });
    assert.equal(await requests('complete_upload', 'ok'), 1);
    assert.equal(await requests('upload_part', 'ok'), 2);
    assert.equal(await store.head('nothing'), undefined);
    assert.equal(await requests('head', 'not_found'), 1);
    const stranger = connect({ secretAccessKey: 'another secret' });
    await assert.rejects(stranger.head('small'));
    stranger.close();
    assert.equal(await requests('head', 'refused'), 1);
    assert.equal(await counted('almanac_s3_request_seconds_count', { operation: 'head' }), 2);
  });

  it('distinguishes an existing bucket from a missing one', async () => {
    await store.check();
    const missingBucket = connect({ bucket: 'missing' });
    await assert.rejects(missingBucket.check(), failure('not_found'));
    missingBucket.close();
  });

  it('distinguishes a full store from an unavailable one', async () => {
    const full = createServer((request, response) => {
      request.resume();
      response.writeHead(507).end('<Error><Code>XMinioStorageFull</Code></Error>');
    });
    full.listen(0, '127.0.0.1');
    await once(full, 'listening');
    const address = full.address();
    assert.ok(typeof address === 'object' && address !== null);
    const tight = connect({ endpoint: `http://127.0.0.1:${address.port}` });
    await assert.rejects(tight.putStream('a', Readable.from(['x']), { contentType }), failure('full'));
    tight.close();
    full.close();
  });
});

const all = async <T>(source: AsyncIterable<T>): Promise<T[]> => {
  const items: T[] = [];
  for await (const item of source) items.push(item);
  return items;
};

const failure = (expected: string) => (error: unknown) =>
  error instanceof ObjectStoreError && error.failure === expected;
