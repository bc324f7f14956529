import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { Hash } from '@smithy/core/serde';
import { SignatureV4 } from '@smithy/signature-v4';
import { s3Listener } from './server.js';

const credentials = { accessKeyId: 'almanac', secretAccessKey: 'a secret of the tests' };
const sha256 = Hash.bind(null, 'sha256');
const signer = new SignatureV4({ service: 's3', region: 'local', uriEscapePath: false, sha256, credentials });
const md5 = (text: string): string => createHash('md5').update(text).digest('hex');
const uploadId = '0123456789abcdef'.repeat(2);

/** The files of a bucket as s3rver 3.7.1 and its object store wrapper wrote them. */
const oldFiles: Readonly<Record<string, string>> = {
  'exports/a.csv._S3rver_object': 'a,b\n',
  'exports/a.csv._S3rver_object.md5': md5('a,b\n'),
  'exports/a.csv._S3rver_metadata.json': '{"content-type":"text/csv","x-amz-meta-name":"one"}',
  'exports/large._S3rver_object': 'of two parts',
  'exports/large._S3rver_object.md5': `${md5('parts')}-2`,
  'exports/large._S3rver_metadata.json': '{\n  "content-type": "text/plain"\n}',
  // The server was killed between two steps: neither MD5 nor headers exist.
  'exports/killed._S3rver_object': 'killed',
  [`._S3rver_uploads/${uploadId}/key`]: 'exports/open',
  [`._S3rver_uploads/${uploadId}/metadata`]: '{"host":"127.0.0.1:1","content-type":"text/html","content-length":"0"}',
  [`._S3rver_uploads/${uploadId}/1`]: 'first ',
  [`._S3rver_uploads/${uploadId}/1.md5`]: md5('first '),
};

describe('the S3 server', () => {
  let dir: string;
  let server: Server;
  let url: string;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-s3-'));
    for (const [path, text] of Object.entries(oldFiles)) {
      const file = join(dir, 'data', 'files', path);
      await mkdir(dirname(file), { recursive: true });
      await writeFile(file, text);
    }
    await mkdir(join(dir, 'tmp'));
    await writeFile(join(dir, 'tmp', 'half'), 'half an object');
    server = createServer(await s3Listener(dir, 'files', { root: credentials, users: [] }));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const address = server.address();
    assert.ok(typeof address === 'object' && address !== null);
    url = `http://127.0.0.1:${address.port}`;
  });
  after(async () => {
    server.closeAllConnections();
    server.close();
    await rm(dir, { recursive: true, force: true });
  });

  const send = async (
    method: string,
    path: string,
    { headers = {}, body }: { headers?: Record<string, string>; body?: string } = {},
  ): Promise<Response> => {
    const { host, hostname, pathname, searchParams } = new URL(path, url);
    const request = { method, protocol: 'http:', hostname, path: pathname, query: Object.fromEntries(searchParams) };
    const signed = await signer.sign({ ...request, headers: { host, ...headers }, body });
    const { host: _host, ...sent } = signed.headers;
    return fetch(new URL(path, url), { method, headers: sent, ...(body === undefined ? {} : { body }) });
  };
  const listed = async (query: string): Promise<(string | undefined)[]> => {
    const text = await (await send('GET', `/files?${query}`)).text();
    return [...text.matchAll(/<(?:Key|IsTruncated)>([^<]*)</g)].map(([, value]) => value);
  };

  describe('on a folder that s3rver wrote', () => {
    it('returns the objects with their headers and ETags', async () => {
      const one = await send('GET', '/files/exports/a.csv');
      assert.deepEqual([one.status, await one.text()], [200, 'a,b\n']);
      assert.equal(one.headers.get('content-type'), 'text/csv');
      assert.equal(one.headers.get('x-amz-meta-name'), 'one');
      assert.equal(one.headers.get('etag'), `"${md5('a,b\n')}"`);
      const large = await send('HEAD', '/files/exports/large');
      assert.equal(large.headers.get('etag'), `"${md5('parts')}-2"`);
      assert.equal(large.headers.get('content-length'), '12');
    });

    it('computes the ETag that a killed server did not write, and stores it', async () => {
      const killed = await send('GET', '/files/exports/killed');
      assert.equal(await killed.text(), 'killed');
      assert.equal(killed.headers.get('etag'), `"${md5('killed')}"`);
      assert.equal(killed.headers.get('content-type'), 'binary/octet-stream');
      const file = join(dir, 'data', 'files', 'exports', 'killed._S3rver_object.md5');
      assert.equal(await readFile(file, 'utf8'), md5('killed'));
    });

    it('lists the objects and completes the upload that was open', async () => {
      assert.deepEqual(await listed('prefix=exports/'), ['false', 'exports/a.csv', 'exports/killed', 'exports/large']);
      assert.deepEqual(await listed('uploads='), ['false', 'exports/open']);
      const path = `/files/exports/open?uploadId=${uploadId}`;
      assert.equal((await send('PUT', `${path}&partNumber=2`, { body: 'second' })).status, 200);
      const part = (number: number, text: string): string =>
        `<Part><PartNumber>${number}</PartNumber><ETag>&quot;${md5(text)}&quot;</ETag></Part>`;
      const parts = `${part(2, 'second')}${part(1, 'first ')}`;
      const body = `<CompleteMultipartUpload>${parts}</CompleteMultipartUpload>`;
      assert.equal((await send('POST', path, { body })).status, 200);
      const whole = await send('GET', '/files/exports/open');
      assert.equal(await whole.text(), 'first second');
      assert.equal(whole.headers.get('content-type'), 'text/html');
      assert.deepEqual(await listed('uploads='), ['false']);
    });

    it('removes half-written files', async () => {
      assert.deepEqual(await readdir(join(dir, 'tmp')), []);
    });
  });

  it('lists keys in order, page after page, whatever their folders', async () => {
    const keys = ['a', 'a-b', 'a/', 'a/b', 'a/b/c', 'a0', 'b&<>'];
    for (const key of keys) {
      assert.equal((await send('PUT', `/files/list/${encodeURIComponent(key)}`, { body: key })).status, 200);
    }
    const found: (string | undefined)[] = [];
    for (let marker = 'list/a'; ; marker = String(found.at(-1))) {
      const [isTruncated, ...page] = await listed(`prefix=list/&max-keys=2&marker=${encodeURIComponent(marker)}`);
      found.push(...page);
      if (isTruncated === 'false') break;
      assert.equal(page.length, 2);
    }
    assert.deepEqual(
      found,
      keys.slice(1).map((key) => `list/${key.replaceAll('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;')}`),
    );
    for (const key of keys) await send('DELETE', `/files/list/${encodeURIComponent(key)}`);
    await assert.rejects(readdir(join(dir, 'data', 'files', 'list')), { code: 'ENOENT' });
  });

  it('answers 501 to operations that it does not support', async () => {
    const attempts = [
      ['GET', '/files?list-type=2'],
      ['GET', '/files?delimiter=/'],
      ['GET', '/files/exports/a.csv?versionId=1'],
      ['PUT', '/files/exports/a.csv?tagging='],
      ['DELETE', '/files'],
      ['POST', '/files?delete='],
    ] as const;
    for (const [method, path] of attempts) assert.equal((await send(method, path)).status, 501, path);
    const once = { headers: { 'if-none-match': '*' }, body: 'other' };
    assert.equal((await send('PUT', '/files/exports/a.csv', once)).status, 501);
    assert.equal(await (await send('GET', '/files/exports/a.csv')).text(), 'a,b\n');
  });

  it('answers on the same connection after an error', async () => {
    const missing = await send('GET', '/files/none');
    assert.match(await missing.text(), /<Error><Code>NoSuchKey<\/Code>/);
    assert.equal(missing.headers.get('connection'), 'keep-alive');
    assert.equal((await send('GET', '/none/a')).status, 404);
  });
});
