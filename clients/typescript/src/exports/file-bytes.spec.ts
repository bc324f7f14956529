import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { afterEach, describe, it } from 'node:test';
import { ApiError, FileError } from '../errors.js';
import { settingsOf } from '../http/settings.js';
import { transportOf } from '../http/transport.js';
import { type Answer, refusal, type StubServer, stubServer } from '../testing/stub-server.js';
import { type DownloadOptions, fileBytes } from './file-bytes.js';

const bytes = Buffer.from('ticker,ts\nA,1\n');
const sha256 = createHash('sha256').update(bytes).digest('hex');
const file = { id: 'e-1', bytes: bytes.length, sha256, filename: 'file.csv' };
const sendFile: Answer = (response) => {
  response.writeHead(200, { 'Content-Length': bytes.length }).end(bytes);
};
const restoring = refusal(503, 'export_restoring', { 'Retry-After': '0' });
const unavailable = refusal(503, 'unavailable', { 'Retry-After': '0' });

describe('a download', () => {
  let server: StubServer;
  afterEach(() => server.close());
  const download = async (options: DownloadOptions = {}): Promise<string> => {
    const transport = transportOf(settingsOf({ apiKey: 'ak', baseUrl: server.url, maxRetries: 1 }));
    const pieces: Uint8Array[] = [];
    for await (const piece of fileBytes({ transport, file, options })) pieces.push(piece.slice());
    return Buffer.concat(pieces).toString();
  };
  const failsWith = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

  it('waits while its lost file is made again, however often it asks', async () => {
    server = await stubServer(restoring, restoring, unavailable, restoring, restoring, sendFile);
    assert.equal(await download(), bytes.toString());
    assert.equal(server.requests.length, 6);
  });

  it('repeats other failures as often as the client may', async () => {
    server = await stubServer(restoring, unavailable, restoring, unavailable, sendFile);
    await assert.rejects(download(), failsWith('unavailable'));
    assert.equal(server.requests.length, 4);
  });

  it('ends with an error if a byte is wrong', async () => {
    server = await stubServer((response) => response.writeHead(200).end(bytes.toString().replace('A', 'B')));
    await assert.rejects(download(), (error) => error instanceof FileError && error.code === 'file_mismatch');
  });

  it('waits no longer than its own deadline', async () => {
    server = await stubServer(restoring);
    await assert.rejects(download({ deadlineMs: 2_000 }), failsWith('export_restoring'));
  });
});
