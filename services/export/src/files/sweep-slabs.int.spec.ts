import assert from 'node:assert/strict';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { connectObjectStore, type ObjectStore, slabsPrefix } from '@almanac/object-store';
import { testS3, type TestS3 } from '@almanac/testing';
import { sweepSlabs } from './sweep-slabs.js';

const dayMs = 86_400_000;

describe('the sweep of slabs', () => {
  let s3: TestS3;
  let objects: ObjectStore;
  before(async () => {
    s3 = await testS3();
    objects = connectObjectStore({ ...s3, endpoint: s3.url, region: 'us-east-1' });
  });
  after(async () => {
    objects.close();
    await s3.stop();
  });
  const keys = async (): Promise<string[]> => {
    const found: string[] = [];
    for await (const { key } of objects.list('')) found.push(key);
    return found;
  };
  const sweep = (slabDays: number, inDays: number): Promise<number> =>
    sweepSlabs(
      { objects, slabDays, ageS: 86_400, log: { info: () => undefined } },
      AbortSignal.timeout(60_000),
      Date.now() + inDays * dayMs,
    );

  it('removes slabs of its age, and no other object', async () => {
    const [slab, file] = [`${slabsPrefix}a/b-1`, 'files/a'];
    for (const key of [slab, file]) await objects.putStream(key, Readable.from(['x']), { contentType: 'text/plain' });
    assert.equal(await sweep(30, 29.9), 0);
    assert.equal(await sweep(0, 1_000), 0);
    assert.deepEqual(await keys(), [file, slab]);
    assert.equal(await sweep(30, 30.1), 1);
    assert.deepEqual(await keys(), [file]);
  });
});
