import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { PutBucketPolicyCommand, S3Client } from '@aws-sdk/client-s3';
import { testS3, type TestS3 } from '@almanac/testing';
import {
  bucketPolicy,
  connectObjectStore,
  objectStorePolicy,
  type ObjectStore,
  ObjectStoreError,
  slabsPolicy,
  slabsPrefix,
} from './index.js';

const user = { accessKeyId: 'user', secretAccessKey: randomUUID() };
const region = 'us-east-1';
const contentType = 'text/csv';
const link = { expiresInS: 60, filename: 'a.csv', contentType, public: false };
const small = (): Readable => Readable.from([Buffer.from('a')]);
/** Large enough for two parts. */
const large = (): Readable => Readable.from([Buffer.alloc(9 * 1_024 * 1_024)]);

const all = async (listed: AsyncIterable<unknown>): Promise<number> => {
  let count = 0;
  for await (const _ of listed) count += 1;
  return count;
};

const follow = async (url: string): Promise<void> => {
  const answer = await fetch(url);
  await answer.arrayBuffer();
  if (!answer.ok) throw new Error(`the link is ${answer.status}`);
};

/** Every operation of the store and the action that it needs. Deliberately repeated here, independently of the code. */
const calls: readonly (readonly [string, string, (store: ObjectStore) => Promise<unknown>])[] = [
  ['check', 's3:ListBucket', (store) => store.check()],
  ['list', 's3:ListBucket', (store) => all(store.list(''))],
  ['openUploads', 's3:ListBucketMultipartUploads', (store) => all(store.openUploads(''))],
  ['putStream', 's3:PutObject', (store) => store.putStream('small', small(), { contentType })],
  ['putStream in parts', 's3:PutObject', (store) => store.putStream('large', large(), { contentType })],
  ['head', 's3:GetObject', (store) => store.head('there')],
  ['a signed link', 's3:GetObject', async (store) => follow(await store.presignGet('there', link))],
  ['delete', 's3:DeleteObject', (store) => store.delete('small')],
  [
    'abandonUpload',
    's3:AbortMultipartUpload',
    (store) => store.abandonUpload({ key: 'none', uploadId: '0'.repeat(32), startedAt: new Date(0) }),
  ],
];

describe('the policy of a bucket', () => {
  let s3: TestS3;
  let client: S3Client;
  let root: ObjectStore;
  let store: ObjectStore;
  before(async () => {
    s3 = await testS3({ users: [user] });
    const { bucket } = s3;
    client = new S3Client({ endpoint: s3.url, region, credentials: s3, forcePathStyle: true });
    root = connectObjectStore({ ...s3, endpoint: s3.url, region });
    store = connectObjectStore({ ...user, endpoint: s3.url, region, bucket });
    await root.putStream('there', small(), { contentType });
  });
  after(async () => {
    for (const one of [root, store]) one.close();
    client.destroy();
    await s3.stop();
  });

  const works = async (work: (store: ObjectStore) => Promise<unknown>): Promise<boolean> => {
    try {
      await work(store);
      return true;
    } catch (error) {
      if (error instanceof ObjectStoreError) assert.equal(error.failure, 'refused');
      else assert.match(String(error), /the link is 403/);
      return false;
    }
  };
  const whatWorks = async (): Promise<string[]> => {
    const names: string[] = [];
    for (const [name, , work] of calls) if (await works(work)) names.push(name);
    return names;
  };

  it('is required: without one a user may do nothing', async () => {
    assert.deepEqual(await whatWorks(), []);
  });

  it('allows its user all operations of the object store client', async () => {
    await root.ensureBucket({ all: user.accessKeyId });
    assert.deepEqual(
      await whatWorks(),
      calls.map(([name]) => name),
    );
    assert.equal(await store.head('none'), undefined, 'what is missing is told as that');
  });

  it('contains only required actions: without each one exactly its calls fail', async () => {
    const actions = objectStorePolicy(s3.bucket).Statement.flatMap(({ Action }) => Action);
    assert.deepEqual(new Set(actions), new Set(calls.map(([, action]) => action)));
    for (const missing of actions) {
      const { Version, Statement } = bucketPolicy(s3.bucket, { all: user.accessKeyId });
      const statements = Statement.map((one) => ({
        ...one,
        Action: one.Action.filter((action) => action !== missing),
      }));
      const Policy = JSON.stringify({ Version, Statement: statements });
      await client.send(new PutBucketPolicyCommand({ Bucket: s3.bucket, Policy }));
      const left = calls.filter(([, action]) => action !== missing).map(([name]) => name);
      assert.deepEqual(await whatWorks(), left, `without ${missing}`);
    }
  });

  it('covers its bucket alone, and no user can widen it', async () => {
    await root.ensureBucket({ all: user.accessKeyId });
    const another = connectObjectStore({ ...user, endpoint: s3.url, region, bucket: 'another' });
    await assert.rejects(another.check(), { failure: 'refused' });
    await assert.rejects(another.ensureBucket(), { failure: 'refused' });
    await assert.rejects(store.ensureBucket({ all: user.accessKeyId }), { failure: 'refused' });
    another.close();
  });

  it('lets the user of slabs store and read them, and nothing else', async () => {
    await root.ensureBucket({ all: 'nobody', slabs: user.accessKeyId });
    assert.deepEqual(await whatWorks(), []);
    const key = `${slabsPrefix}a`;
    const allowed: Readonly<Record<string, () => Promise<unknown>>> = {
      's3:PutObject': () => store.putStream(key, small(), { contentType }),
      's3:GetObject': async () => {
        const found = await store.read(key);
        found?.body.resume();
        assert.ok(found !== undefined);
      },
      's3:AbortMultipartUpload': () => store.abandonUpload({ key, uploadId: '0'.repeat(32), startedAt: new Date(0) }),
    };
    const actions = slabsPolicy(s3.bucket).Statement.flatMap(({ Action }) => Action);
    assert.deepEqual(new Set(actions), new Set(Object.keys(allowed)));
    for (const work of Object.values(allowed)) await work();
    await store.putStream(key, large(), { contentType });
    assert.equal(await store.read(`${slabsPrefix}none`), undefined);
    await assert.rejects(store.delete(key), { failure: 'refused' });
    await assert.rejects(all(store.list(slabsPrefix)), { failure: 'refused' });
    await assert.rejects(store.read('there'), { failure: 'refused' });
    await assert.rejects(store.putStream('slabs', small(), { contentType }), { failure: 'refused' });
  });
});
