import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { startS3, type RunningS3 } from './s3.js';

const credentials = { accessKeyId: 'almanac', secretAccessKey: 'a secret of the tests' };
const bucket = 'files';
const signer = new SignatureV4({
  service: 's3',
  region: 'local',
  uriEscapePath: false,
  sha256: Hash.bind(null, 'sha256'),
  credentials,
});

describe('startS3', () => {
  let dir: string;
  let s3: RunningS3;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-s3-'));
    s3 = await startS3({ dir, bucket, ...credentials });
  });
  after(async () => {
    await s3.stop();
    await rm(dir, { recursive: true, force: true });
  });

  const send = async (
    method: string,
    pathAndQuery: string,
    more: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<Response> => {
    const url = new URL(pathAndQuery, s3.url);
    const signed = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: pathAndQuery.split('?')[0] ?? '/',
      query: Object.fromEntries(url.searchParams),
      headers: { host: url.host, ...more.headers },
      ...(more.body === undefined ? {} : { body: more.body }),
    });
    const { host: _host, ...headers } = signed.headers;
    return fetch(url, {
      method,
      headers,
      signal: AbortSignal.timeout(60_000),
      ...(more.body === undefined ? {} : { body: more.body }),
    });
  };
  const errorCode = async (answer: Response): Promise<string | undefined> =>
    /<Code>(\w+)<\/Code>/.exec(await answer.text())?.[1];

  it('serves byte ranges as HTTP defines them, first and last byte included', async () => {
    await send('PUT', `/${bucket}/digits`, { body: '0123456789' });
    await send('PUT', `/${bucket}/empty`, { body: '' });
    const read = async (range: string, more: Record<string, string> = {}): Promise<[number, string]> => {
      const answer = await send('GET', `/${bucket}/digits`, { headers: { range, ...more } });
      return [answer.status, answer.status === 416 ? '' : await answer.text()];
    };
    assert.deepEqual(await read('bytes=0-0'), [206, '0']);
    assert.deepEqual(await read('bytes=-3'), [206, '789']);
    assert.deepEqual(await read('bytes=-30'), [206, '0123456789']);
    assert.deepEqual(await read('bytes=4-'), [206, '456789']);
    assert.deepEqual(await read('bytes=4-400'), [206, '456789']);
    assert.deepEqual(await read('bytes=10-'), [416, '']);
    assert.deepEqual(await read('bytes=-0'), [416, '']);
    assert.deepEqual(await read('bytes=5-4'), [200, '0123456789']);
    assert.deepEqual(await read('lines=1-2'), [200, '0123456789']);
    assert.deepEqual(await read('bytes=1-1', { 'if-range': '"another"' }), [200, '0123456789']);
    const empty = await send('GET', `/${bucket}/empty`);
    assert.deepEqual([empty.status, await empty.text()], [200, '']);
  });

  it('refuses a key that would leave its folder or name a file of the server', async () => {
    for (const key of ['..%2f..%2fsecret', 'a/%2e%2e%2f%2e%2e/b', 'a%00b', 'x._S3rver_object', '%ff']) {
      const answer = await send('GET', `/${bucket}/${key}`);
      assert.equal(answer.status, 400, key);
      assert.equal(await errorCode(answer), 'InvalidURI', key);
    }
  });

  it('refuses a body that does not match its signature, and stores nothing', async () => {
    const answer = await send('PUT', `/${bucket}/forged`, {
      body: 'other bytes',
      headers: { 'x-amz-content-sha256': 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855' },
    });
    assert.equal(await errorCode(answer), 'BadDigest');
    assert.equal((await send('GET', `/${bucket}/forged`)).status, 404);
  });

  it('refuses chunk-signed bodies and copies, which it does not support', async () => {
    const chunked = { 'x-amz-content-sha256': 'STREAMING-UNSIGNED-PAYLOAD-TRAILER' };
    assert.equal((await send('PUT', `/${bucket}/chunked`, { body: 'x', headers: chunked })).status, 501);
    const copy = { 'x-amz-copy-source': `/${bucket}/digits` };
    assert.equal((await send('PUT', `/${bucket}/copied`, { headers: copy })).status, 501);
  });

  it('answers NoSuchUpload for a part, completion or abort of an upload that is not open', async () => {
    const missingUpload = `/${bucket}/a?uploadId=${'0'.repeat(32)}`;
    const list =
      '<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>x</ETag></Part></CompleteMultipartUpload>';
    assert.equal(await errorCode(await send('PUT', `${missingUpload}&partNumber=1`, { body: 'x' })), 'NoSuchUpload');
    assert.equal(await errorCode(await send('POST', missingUpload, { body: list })), 'NoSuchUpload');
    assert.equal(await errorCode(await send('DELETE', missingUpload)), 'NoSuchUpload');
    assert.equal(await errorCode(await send('DELETE', `/${bucket}/a?uploadId=..`)), 'NoSuchUpload');
  });

  it('refuses to complete an upload with a missing part, and keeps running', async () => {
    const opened = await (await send('POST', `/${bucket}/holes?uploads=`)).text();
    const uploadId = /<UploadId>(\w+)</.exec(opened)?.[1] ?? '';
    const list = `<CompleteMultipartUpload><Part><PartNumber>7</PartNumber><ETag>"x"</ETag></Part></CompleteMultipartUpload>`;
    const answer = await send('POST', `/${bucket}/holes?uploadId=${uploadId}`, { body: list });
    assert.equal(await errorCode(answer), 'InvalidPart');
    assert.match(await (await send('GET', `/${bucket}?uploads=`)).text(), new RegExp(uploadId));
    assert.equal((await send('DELETE', `/${bucket}/holes?uploadId=${uploadId}`)).status, 204);
    assert.doesNotMatch(await (await send('GET', `/${bucket}?uploads=`)).text(), new RegExp(uploadId));
  });

  it('ends when its parent is killed', { timeout: 120_000 }, async () => {
    const folder = join(dir, 'orphan');
    const options = JSON.stringify({ dir: folder, bucket, ...credentials });
    const program = `import { startS3 } from ${JSON.stringify(new URL('s3.js', import.meta.url).href)};
      const s3 = await startS3(${options}); console.log(s3.url); setInterval(() => {}, 1000);`;
    const parent = spawn(process.execPath, ['--input-type=module', '-e', program], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const line: unknown = (await once(parent.stdout, 'data')).at(0);
    const url = String(line).trim();
    assert.equal(await isUp(url), true);
    parent.kill('SIGKILL');
    while (await isUp(url)) await pause(10);
  });
});

/** Checks the port, not the pid: a dead orphan may stay in the process table until it is reaped. */
const isUp = async (url: string): Promise<boolean> => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(60_000) })).status === 403;
  } catch (error) {
    if (error instanceof TypeError) return false;
    throw error;
  }
};
