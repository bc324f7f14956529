import assert from 'node:assert/strict';
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import { after, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { DomainError, exportRpc, exportResponse, type ExportState, presentExport } from '@almanac/contracts';
import { connectObjectStore, type ObjectStore } from '@almanac/object-store';
import { eventually, testS3, type TestS3 } from '@almanac/testing';
import { nameOf } from '../testing/service-stubs.js';
import { startSystem, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';

const bytes = randomBytes(300_000);
const sha256 = createHash('sha256').update(bytes).digest('hex');
const query = {
  event: 'E',
  ticker: null,
  series: 'S',
  day: null,
  streams: ['snapshots' as const],
  format: 'jsonl.gz' as const,
  numbers: 'decimal' as const,
};
const manifest = {
  query,
  schema_version: 1,
  markets: [
    { ticker: 'E-1', data_version: 3, rows: 4 },
    { ticker: 'E-2', data_version: 1, rows: null },
  ],
  row_count: 7,
  gaps: [],
  gaps_n: 0,
};
const linkTtlMs = 60_000;

describe('an export at the gateway', () => {
  let system: TestSystem;
  let s3: TestS3;
  let store: ObjectStore;
  let key: TestKey;
  let links = 0;
  const reportedMissing: string[] = [];
  let linkUrl: ((exportId: string, isPublic: boolean) => Promise<string>) | undefined;

  before(async () => {
    [system, s3] = await Promise.all([startSystem(), testS3()]);
    key = system.edge.keys.createKey();
    store = connectObjectStore({ ...s3, endpoint: s3.url, region: 'us-east-1' });
    await store.putStream('file', Readable.from([bytes]), { contentType: 'application/gzip' });
    system.edge.handlers.set(nameOf(exportRpc.link), async (input) => {
      const { export_id: id, public: isPublic, missing } = exportRpc.link.input.parse(input);
      if (missing) reportedMissing.push(id);
      if (reportedMissing.includes(id))
        throw new DomainError('export_restoring', 'Prepared again.', { more: { retry_after_s: 5 } });
      links += 1;
      const status = statuses.get(id);
      if (status === 'pending') throw new DomainError('export_preparing', 'The file is still being prepared.');
      if (status === 'failed') throw new DomainError('export_failed', 'The archive broke.');
      if (status === 'cancelled')
        throw new DomainError('export_cancelled', 'This export was cancelled, so it has no file. Create a new export.');
      const url = await (linkUrl ?? presigned)(id, isPublic);
      const expires_us = (Date.now() + linkTtlMs) * 1_000;
      return { url, expires_us, renew_us: expires_us - linkTtlMs * 500, manifest: isPublic ? manifest : null };
    });
  });
  after(async () => {
    store.close();
    await Promise.all([system.stop(), s3.stop()]);
  });

  const presigned = (_id: string, isPublic: boolean): Promise<string> =>
    store.presignGet('file', {
      expiresInS: linkTtlMs / 1_000,
      filename: 'E_snapshots.jsonl.gz',
      contentType: 'application/gzip',
      public: isPublic,
    });
  const statuses = new Map<string, ExportState['status']>();
  const linkCallsOf = (id: string) => ({
    id,
    account: key.account,
    query: query,
    grant: 'plan' as const,
    file_key: 'k',
    filename: 'E_snapshots.jsonl.gz',
    requested_us: 1_772_064_000_250_000,
  });
  const stateOf = (id: string, status: ExportState['status']): ExportState => {
    const all = linkCallsOf(id);
    const file = { storage_key: 'file', bytes: bytes.length, row_count: 7, markets: 2, sha256 };
    switch (status) {
      case 'ready':
        return { ...all, status, file, ready_us: 1_772_064_001_750_000 };
      case 'failed':
        return { ...all, status, error: 'The archive broke.' };
      case 'abandoned':
        return { id, account: key.account, status };
      case 'pending':
      case 'cancelled':
        return { ...all, status };
    }
  };
  const put = async (id: string, status: ExportState['status']): Promise<void> => {
    statuses.set(id, status);
    await system.edge.append(subjects.export(key.account, id), stateOf(id, status), key.account);
  };
  const created = async (status: ExportState['status']): Promise<string> => {
    const id = randomUUID();
    await put(id, status);
    return id;
  };
  const poll = async (id: string) => {
    const response = await system.request(`/exports/${id}`, key);
    assert.equal(response.status, 200);
    return exportResponse.strict().parse(await response.json());
  };
  const file = (id: string, headers: Record<string, string> = {}, who = key, init: { method?: string } = {}) =>
    system.request(`/exports/${id}/file`, who, { headers, ...init });

  it('is polled from pending to ready, with a signed link that works and is reused', async () => {
    const id = await created('pending');
    const pending = await poll(id);
    assert.deepEqual([pending.status, pending.bytes, pending.download_url], ['pending', 0, null]);
    assert.deepEqual([pending.created_ts, pending.ready_ts, pending.progress], [1_772_064_000.25, null, 0]);
    await put(id, 'ready');
    const ready = await eventually(async () => {
      const polled = await poll(id);
      assert.equal(polled.status, 'ready');
      return polled;
    });
    assert.deepEqual([ready.bytes, ready.row_count, ready.markets, ready.sha256], [bytes.length, 7, 2, sha256]);
    assert.deepEqual(ready.manifest, manifest);
    assert.deepEqual([ready.ready_ts, ready.rows_done, ready.progress], [1_772_064_001.75, 7, 1]);
    assert.ok(ready.expires_in_s > 55 && ready.expires_in_s <= 60);
    const linkCallsBefore = links;
    assert.equal((await poll(id)).download_url, ready.download_url);
    assert.equal(links, linkCallsBefore);
    const download = await fetch(ready.download_url ?? '');
    assert.ok(Buffer.from(await download.arrayBuffer()).equals(bytes));
  });
  it('of another account, abandoned, without a valid UUID or unknown is the same 404', async () => {
    const [ready, abandoned] = [await created('ready'), await created('abandoned')];
    const other = system.edge.keys.createKey();
    const bodies = new Set<string>();
    for (const [id, who] of [
      [ready, other],
      [abandoned, key],
      [randomUUID(), key],
      ['no-uuid', key],
      [`${ready}%00`, key],
      ['*', key],
    ] as const) {
      for (const rest of ['', '/file', '/events']) {
        const response = await system.request(`/exports/${id}${rest}`, who, { headers: { 'x-request-id': 'same' } });
        assert.equal(response.status, 404);
        bodies.add(await response.text());
      }
    }
    assert.equal(bodies.size, 1);
    assert.equal((await poll(ready.toUpperCase())).id, ready);
  });
  it('shows why it failed', async () => {
    const polled = await poll(await created('failed'));
    assert.deepEqual([polled.status, polled.error, polled.download_url], ['failed', 'The archive broke.', null]);
  });
  it('is cancelled while it is pending, which the next poll shows', async () => {
    system.edge.handlers.set(nameOf(exportRpc.cancel), async (input) => {
      const { export_id: id } = exportRpc.cancel.input.parse(input);
      if (statuses.get(id) === 'ready') throw new DomainError('export_ended', 'The export is ready.');
      await put(id, 'cancelled');
      return presentExport({ ...linkCallsOf(id), status: 'cancelled' });
    });
    const cancel = (id: string, who = key) => system.request(`/exports/${id}`, who, { method: 'DELETE' });
    for (let round = 0; round < 3; round += 1) {
      const id = await created('pending');
      await poll(id);
      const response = await cancel(id);
      assert.equal(response.status, 200);
      const shown = exportResponse.strict().parse(await response.json());
      assert.deepEqual([shown.status, shown.progress, shown.download_url], ['cancelled', null, null]);
      assert.deepEqual(await poll(id), shown);
      assert.deepEqual(await (await cancel(id.toUpperCase())).json(), shown);
    }
    const ready = await cancel(await created('ready'));
    assert.deepEqual([ready.status, ((await ready.json()) as { code: string }).code], [409, 'export_ended']);
    for (const [id, who] of [
      [await created('pending'), system.edge.keys.createKey()],
      [await created('abandoned'), key],
      [randomUUID(), key],
      ['no-uuid', key],
    ] as const) {
      assert.equal((await cancel(id, who)).status, 404);
    }
  });
  it('has its file through the gateway, with its own name, type and hash, and no encoding', async () => {
    const response = await file(await created('ready'));
    assert.equal(response.status, 200);
    const { headers } = response;
    assert.equal(headers.get('content-type'), 'application/gzip');
    assert.equal(headers.get('content-disposition'), 'attachment; filename="E_snapshots.jsonl.gz"');
    assert.equal(headers.get('content-length'), String(bytes.length));
    assert.equal(headers.get('etag'), `"${sha256}"`);
    assert.equal(headers.get('content-encoding'), null);
    assert.equal(headers.get('accept-ranges'), 'bytes');
    assert.ok(Buffer.from(await response.arrayBuffer()).equals(bytes));
  });
  it('serves ranges of its file, so that an interrupted download can continue', async () => {
    const id = await created('ready');
    const rangeOf = async (headers: Record<string, string>) => {
      const response = await file(id, headers);
      const got = Buffer.from(await response.arrayBuffer());
      return { status: response.status, range: response.headers.get('content-range'), got };
    };
    const part = await rangeOf({ range: 'bytes=1000-1999' });
    assert.deepEqual([part.status, part.range], [206, `bytes 1000-1999/${bytes.length}`]);
    assert.ok(part.got.equals(bytes.subarray(1_000, 2_000)));
    const rest = await rangeOf({ range: 'bytes=299000-', 'if-range': `"${sha256}"` });
    assert.deepEqual([rest.status, rest.got.equals(bytes.subarray(299_000))], [206, true]);
    const other = await rangeOf({ range: 'bytes=1000-1999', 'if-range': '"another"' });
    assert.deepEqual([other.status, other.got.length], [200, bytes.length]);
    const beyondEnd = await file(id, { range: 'bytes=9000000-' });
    assert.equal(beyondEnd.status, 416);
    assert.deepEqual(Object.keys((await beyondEnd.json()) as object).toSorted(), ['code', 'detail', 'request_id']);
    assert.equal((await file(id, { 'if-none-match': `"${sha256}"` })).status, 304);
    const head = await file(id, {}, key, { method: 'HEAD' });
    assert.deepEqual([head.status, head.headers.get('content-length')], [200, String(bytes.length)]);
  });
  it('has no file before it is ready, nor after it failed or was cancelled: 409 names the status', async () => {
    for (const [status, code] of [
      ['pending', 'export_preparing'],
      ['failed', 'export_failed'],
      ['cancelled', 'export_cancelled'],
    ] as const) {
      const response = await file(await created(status));
      const body = (await response.json()) as { code: string; detail: string };
      assert.deepEqual([response.status, body.code], [409, code]);
      if (status === 'failed') assert.equal(body.detail, 'The archive broke.');
    }
  });

  it('whose object vanished is reported, answers 503 until it is prepared again, and stays ready', async () => {
    const id = await created('ready');
    assert.equal((await file(id)).status, 200);
    await store.delete('file');
    const lost = await file(id);
    const { code } = (await lost.json()) as { code: string };
    assert.deepEqual([lost.status, code, lost.headers.get('retry-after')], [503, 'export_restoring', '5']);
    assert.deepEqual(reportedMissing, [id]);
    const record = await poll(id);
    assert.deepEqual([record.status, record.sha256, record.download_url], ['ready', sha256, null]);
    await store.putStream('file', Readable.from([bytes]), { contentType: 'application/gzip' });
    reportedMissing.length = 0;
    assert.equal((await file(id)).status, 200);
    assert.notEqual((await poll(id)).download_url, null);
  });

  describe('whose object store fails', () => {
    let failing: Server;
    let cut = false;
    before(async () => {
      failing = createServer((_request, response) => {
        if (!cut) return response.writeHead(500).end('broken');
        response.writeHead(200, { 'content-length': 1_000 });
        response.write('x'.repeat(100), () => response.destroy());
        return response;
      });
      await new Promise<void>((resolve) => failing.listen(0, '127.0.0.1', resolve));
      linkUrl = () => Promise.resolve(`http://127.0.0.1:${(failing.address() as AddressInfo).port}/x`);
    });
    after(() => {
      linkUrl = undefined;
      failing.close();
    });
    it('before the first byte answers 503', async () => {
      const response = await file(await created('ready'));
      assert.equal(response.status, 503);
      assert.equal(response.headers.get('retry-after'), '1');
      linkUrl = () => Promise.resolve('http://127.0.0.1:1/x');
      assert.equal((await file(await created('ready'))).status, 503);
    });
    it('after the first byte breaks the connection, so that no client takes a part for the whole', async () => {
      cut = true;
      linkUrl = () => Promise.resolve(`http://127.0.0.1:${(failing.address() as AddressInfo).port}/x`);
      const response = await file(await created('ready'));
      assert.equal(response.status, 200);
      await assert.rejects(response.arrayBuffer());
    });
  });
});
