import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:net';
import { once } from 'node:events';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { ListMultipartUploadsCommand, S3Client } from '@aws-sdk/client-s3';
import { startS3, type RunningServer } from '@almanac/local-servers';
import { eventually, testServers } from '@almanac/testing';
import { connectObjectStore, ObjectStoreError, type ObjectStore, type ObjectStoreOptions } from './index.js';

const credentials = { accessKeyId: 'almanac', secretAccessKey: 'a secret of the tests' };
const bucket = 'files';
const mib = 1_024 * 1_024;
const contentType = 'text/csv';
const link = { expiresInS: 60, filename: 'a.csv', contentType, public: false };

describe('connectObjectStore', () => {
  let dir: string;
  let s3: RunningServer;
  let store: ObjectStore;
  const connect = (options: Partial<ObjectStoreOptions> = {}): ObjectStore =>
    connectObjectStore({ endpoint: s3.url, region: 'us-east-1', bucket, ...credentials, ...options });

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-objects-'));
    s3 = await (await testServers()).s3({ dir, bucket, ...credentials });
    store = connect();
    await store.ensureBucket();
  });
  after(async () => {
    store.close();
    await s3.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const openUploads = async (key: string): Promise<number> => {
    const client = new S3Client({ endpoint: s3.url, region: 'us-east-1', credentials, forcePathStyle: true });
    const { Uploads = [] } = await client.send(new ListMultipartUploadsCommand({ Bucket: bucket }));
    client.destroy();
    return Uploads.filter((upload) => upload.Key === key).length;
  };
  const leavesNothing = async (key: string): Promise<void> => {
    assert.equal(await store.head(key), undefined);
    assert.equal(await openUploads(key), 0);
  };

  it('stores 20 MB as a stream and returns the same bytes', async () => {
    const sent = createHash('sha256');
    const stored = await store.putStream('big', bytes(20 * mib, sent), { contentType });
    assert.equal(stored.bytes, 20 * mib);
    const head = await store.head('big');
    assert.deepEqual({ bytes: head?.bytes, etag: head?.etag }, stored);
    assert.equal(head?.contentType, contentType);
    assert.equal(await openUploads('big'), 0);
    const got = createHash('sha256');
    for await (const chunk of bodyOf(await fetch(await store.presignGet('big', link)))) got.update(chunk);
    assert.equal(got.digest('hex'), sent.digest('hex'));
  });

  it('stores zero bytes, one byte, and exactly one and two parts', async () => {
    for (const size of [0, 1, 6 * mib, 6 * mib + 1, 12 * mib]) {
      assert.equal((await store.putStream('edge', bytes(size), { contentType })).bytes, size);
      assert.equal((await store.head('edge'))?.bytes, size);
    }
  });

  it('replaces an object as a whole and deletes it, even twice', async () => {
    await store.putStream('same', Readable.from(['first']), { contentType });
    await store.putStream('same', Readable.from(['second']), { contentType });
    assert.equal(await (await fetch(await store.presignGet('same', link))).text(), 'second');
    await store.delete('same');
    await store.delete('same');
    assert.equal(await store.head('same'), undefined);
    assert.equal((await fetch(await store.presignGet('same', link))).status, 404);
  });

  it('serves a range of a presigned link', async () => {
    await store.putStream('range', Readable.from(['0123456789']), { contentType });
    const answer = await fetch(await store.presignGet('range', link), { headers: { range: 'bytes=2-4' } });
    assert.equal(answer.status, 206);
    assert.equal(answer.headers.get('content-range'), 'bytes 2-4/10');
    assert.equal(answer.headers.get('content-length'), '3');
    assert.equal(await answer.text(), '234');
  });

  it('puts the download name and type in the link, whatever the name contains', async () => {
    await store.putStream('named', Readable.from(['x']), { contentType: 'application/octet-stream' });
    const filename = `Zürich "50%"; a=b\r\nSet-Cookie: x=1 📈.csv`;
    const answer = await fetch(await store.presignGet('named', { ...link, filename, contentType: 'text/csv' }));
    assert.equal(answer.status, 200);
    assert.equal(answer.headers.get('content-type'), 'text/csv');
    assert.equal(answer.headers.get('set-cookie'), null);
    const disposition = answer.headers.get('content-disposition') ?? '';
    assert.match(disposition, /^attachment; filename="Z_rich _50__; a=b__Set-Cookie: x=1 _\.csv"; filename\*=UTF-8''/);
    const extended = decodeURIComponent(disposition.split("UTF-8''")[1] ?? '');
    assert.equal(extended, `Zürich "50%"; a=b__Set-Cookie: x=1 📈.csv`);
  });

  it('refuses a link that was changed anywhere, and one that expired', async () => {
    await store.putStream('guarded', Readable.from(['secret']), { contentType });
    const url = await store.presignGet('guarded', link);
    const changes: [string, string][] = [
      ['/guarded?', '/big?'],
      ['X-Amz-Expires=60', 'X-Amz-Expires=61'],
      ['text%2Fcsv', 'text%2Fhtml'],
      ['a.csv', 'b.csv'],
      ['X-Amz-Signature=', 'X-Amz-Signature=0'],
      ['X-Amz-Signature=', 'X-Amz-Other='],
    ];
    for (const [from, to] of changes) {
      assert.ok(url.includes(from), from);
      assert.equal((await fetch(url.replace(from, to))).status, 403, to);
    }
    assert.equal((await fetch(url, { method: 'PUT', body: 'x' })).status, 403);
    assert.equal((await fetch(url)).status, 200);
    const short = await store.presignGet('guarded', { ...link, expiresInS: 1 });
    await eventually(async () => assert.equal((await fetch(short)).status, 403));
  });

  it('refuses to read or write without a signature', async () => {
    await store.putStream('guarded', Readable.from(['secret']), { contentType });
    for (const path of ['', `/${bucket}`, `/${bucket}/guarded`]) {
      assert.equal((await fetch(`${s3.url}${path}`)).status, 403, path);
    }
    assert.equal((await fetch(`${s3.url}/${bucket}/new`, { method: 'PUT', body: 'x' })).status, 403);
    assert.equal((await fetch(`${s3.url}/${bucket}/guarded`, { method: 'DELETE' })).status, 403);
    assert.equal((await store.head('guarded'))?.bytes, 6);
  });

  it('distinguishes a refused key from a missing object', async () => {
    for (const wrong of [{ secretAccessKey: 'wrong' }, { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' }]) {
      const stranger = connect(wrong);
      await assert.rejects(stranger.head('guarded'), failure('refused'));
      await assert.rejects(stranger.putStream('x', bytes(7 * mib), { contentType }), failure('refused'));
      assert.equal((await fetch(await stranger.presignGet('guarded', link))).status, 403);
      stranger.close();
    }
    await leavesNothing('x');
    const missingBucket = connect({ bucket: 'missing' });
    await assert.rejects(missingBucket.putStream('x', Readable.from(['x']), { contentType }), failure('not_found'));
    missingBucket.close();
  });

  it('signs public links for the public address and internal ones for the endpoint', async () => {
    const both = connect({ publicUrl: 'https://files.example.com' });
    assert.match(await both.presignGet('a', { ...link, public: true }), /^https:\/\/files\.example\.com\/files\/a\?/);
    assert.ok((await both.presignGet('a', link)).startsWith(`${s3.url}/files/a?`));
    await assert.rejects(both.presignGet('a', { ...link, expiresInS: 604_801 }), RangeError);
    both.close();
  });

  it('creates the bucket when it is missing', async () => {
    const fresh = connect({ bucket: 'fresh' });
    await Promise.all([fresh.ensureBucket(), fresh.ensureBucket()]);
    await fresh.putStream('a', Readable.from(['x']), { contentType });
    assert.equal((await fresh.head('a'))?.bytes, 1);
    fresh.close();
  });

  it('leaves no object and no open upload when it is aborted in the middle', async () => {
    const stop = new AbortController();
    const reason = new Error('the worker was told to stop');
    const source = bytes(100 * mib, undefined, (sent) => {
      if (sent > 13 * mib) stop.abort(reason);
    });
    await assert.rejects(store.putStream('aborted', source, { contentType, signal: stop.signal }), reason);
    assert.ok(source.destroyed);
    await leavesNothing('aborted');
  });

  it('can be aborted while the source stalls', async () => {
    const stop = new AbortController();
    let left = 13;
    const source = new Readable({
      read() {
        if (left > 0) this.push(Buffer.alloc(mib));
        else if (left === 0) setImmediate(() => stop.abort());
        left -= 1;
      },
    });
    const put = store.putStream('stalled', source, { contentType, signal: stop.signal });
    await assert.rejects(put, (error) => error === stop.signal.reason);
    await leavesNothing('stalled');
  });

  it('keeps the existing object when an upload over it is aborted or fails', async () => {
    await store.putStream('kept', Readable.from(['before']), { contentType });
    const broken = new Error('the query failed');
    const source = bytes(20 * mib, undefined, (sent) => {
      if (sent > 13 * mib) throw broken;
    });
    await assert.rejects(store.putStream('kept', source, { contentType }), broken);
    await assert.rejects(store.putStream('kept', bytes(1), { contentType, signal: AbortSignal.abort(broken) }), broken);
    assert.equal((await store.head('kept'))?.bytes, 6);
    assert.equal(await openUploads('kept'), 0);
  });

  it('keeps every stored object over kill -9, and shows nothing of an interrupted upload', async () => {
    // A local process even where the other tests use containers, since it is killed by its process id.
    const options = { dir: join(dir, 'killed'), bucket, ...credentials };
    let killed = await startS3(options);
    const fragile = connect({ endpoint: killed.url });
    try {
      const sent = createHash('sha256');
      await fragile.putStream('survivor', bytes(13 * mib, sent), { contentType });
      const url = await fragile.presignGet('survivor', link);
      const source = bytes(1_000 * mib, undefined, (done) => {
        if (done > 19 * mib && done <= 20 * mib) process.kill(killed.pid, 'SIGKILL');
      });
      await assert.rejects(fragile.putStream('cut off', source, { contentType }), ObjectStoreError);
      await killed.stop();
      killed = await startS3({ ...options, port: killed.port });
      const got = Buffer.from(await (await fetch(url)).arrayBuffer());
      assert.equal(createHash('sha256').update(got).digest('hex'), sent.digest('hex'));
      assert.equal(await fragile.head('cut off'), undefined);
    } finally {
      fragile.close();
      await killed.stop();
    }
  });

  it('reports a missing store as unavailable after a limited number of retries', async () => {
    const missing = connect({ endpoint: 'http://127.0.0.1:1' });
    await assert.rejects(missing.head('a'), failure('unavailable'));
    missing.close();
  });

  it('gives up an upload at its deadline when the store never answers', { timeout: 60_000 }, async (t) => {
    t.mock.method(AbortSignal, 'timeout', (ms: number) => shortened(ms));
    const unresponsiveStore = createServer(() => undefined);
    unresponsiveStore.listen(0, '127.0.0.1');
    await once(unresponsiveStore, 'listening');
    const address = unresponsiveStore.address();
    assert.ok(typeof address === 'object' && address !== null);
    const lost = connect({ endpoint: `http://127.0.0.1:${address.port}` });
    await assert.rejects(lost.head('a'), failure('deadline'));
    await assert.rejects(lost.putStream('a', bytes(7 * mib), { contentType }), failure('deadline'));
    lost.close();
    unresponsiveStore.close();
  });
});

/** The deadline clock runs a hundred times faster. Everything else is as in production. */
const realTimeout = AbortSignal.timeout.bind(AbortSignal);
const shortened = (ms: number): AbortSignal => realTimeout(ms / 100);

const failure = (expected: string) => (error: unknown) =>
  error instanceof ObjectStoreError && error.failure === expected;

/** A stream of `size` bytes in chunks of 1 MiB, each with different content. */
const bytes = (
  size: number,
  hash?: { update(chunk: Buffer): unknown },
  onChunk: (sent: number) => void = () => undefined,
): Readable =>
  Readable.from(
    (function* () {
      for (let sent = 0; sent < size;) {
        const chunk = Buffer.alloc(Math.min(mib, size - sent), `chunk ${sent} `);
        sent += chunk.length;
        hash?.update(chunk);
        onChunk(sent);
        yield chunk;
      }
    })(),
    { objectMode: false },
  );

const bodyOf = (answer: Response): AsyncIterable<Uint8Array> => {
  assert.equal(answer.status, 200);
  assert.ok(answer.body !== null);
  return answer.body;
};
