import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Almanac, AlmanacError, type Export } from '@almanac/client/node';
import { storeArchive } from '@almanac/system';
import { startHarness, type SystemHarness } from '@almanac/test-e2e';
import { suspendProcess } from '@almanac/testing';
import { type FaultyProxy, faultyProxy } from './faulty-proxy.js';

const [event, ticker] = ['CLIENTS', 'CLIENTS-1'] as const;
const openS = 1_771_992_900;
const rowsN = 60_000;
const pass = { kind: 'none' } as const;

const withCode = (code: string) => (error: unknown) => error instanceof AlmanacError && error.code === code;
const sha256Of = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');

describe('the TypeScript client behind a bad network', () => {
  let running: SystemHarness;
  let proxy: FaultyProxy;
  let almanac: Almanac;
  let ready: Export;
  let folder: string;

  before(async () => {
    running = await startHarness();
    proxy = await faultyProxy(running.system.baseUrls[0]);
    almanac = new Almanac({ baseUrl: proxy.url, apiKey: await running.key('internal') });
    const times = { open_us: openS * 1e6, close_us: (openS + rowsN) * 1e6 };
    await storeArchive(running.system, {
      facts: [{ kind: 'market', ticker, event_ticker: event, series: 'S', result: 'yes', ...times }],
      rows: Array.from({ length: rowsN }, (_, n) => ({
        ticker,
        series: 'S',
        second: openS + n,
        bidCents: 40,
        askCents: 60,
        coinPrice: n,
        sizes: null,
      })),
    });
    ready = await almanac.exports.create({ event }).wait();
  });
  after(async () => {
    await proxy.stop();
    await running.stop();
  });
  beforeEach(async (context) => {
    proxy.reset();
    folder = await mkdtemp(join(tmpdir(), 'almanac-clients-'));
    if ('after' in context) context.after(() => rm(folder, { recursive: true }));
  });

  const fileRequests = () => proxy.requests.filter(({ url }) => url.endsWith('/file'));
  const isFile = ({ url }: { url: string }): boolean => url.endsWith('/file');

  it('continues a download whose connection is cut again and again', async () => {
    let cuts = 0;
    proxy.use((request) => (isFile(request) && (cuts += 1) <= 4 ? { kind: 'cut', afterBytes: 400_000 } : pass));
    const seen: number[] = [];
    const saved = await almanac.exports.download(ready.id, folder, { onProgress: ({ done }) => seen.push(done) });
    assert.equal(sha256Of(await readFile(saved.path)), ready.sha256);
    assert.deepEqual(await readdir(folder), [ready.filename]);
    const ranges = fileRequests().map(({ headers }) => headers.range);
    assert.ok(ranges.length >= 5 && ranges[0] === undefined && ranges.slice(1).every(Boolean), ranges.join());
    assert.equal(seen.at(-1), ready.bytes);
    assert.ok(seen.every((done, at) => at === 0 || done >= (seen[at - 1] ?? 0)));
  });

  it('continues a download that an earlier program left', async () => {
    const controller = new AbortController();
    const stopped = almanac.exports.download(ready.id, folder, {
      signal: controller.signal,
      onProgress: ({ done }) => {
        if (done > 300_000) controller.abort(new Error('stopped'));
      },
    });
    await assert.rejects(stopped, /stopped/);
    const [part = '', ...others] = await readdir(folder);
    assert.deepEqual([part.endsWith('.part'), others], [true, []]);
    const saved = await almanac.exports.download(ready.id, folder);
    assert.ok(saved.resumedFrom > 0 && saved.resumedFrom < ready.bytes);
    assert.equal(sha256Of(await readFile(saved.path)), ready.sha256);
    assert.deepEqual(await readdir(folder), [ready.filename]);
    assert.match(fileRequests().at(-1)?.headers.range ?? '', new RegExp(`^bytes=${saved.resumedFrom}-$`));
  });

  it('stores nothing of a file with a wrong byte', async () => {
    proxy.use((request) => (isFile(request) ? { kind: 'damage', at: 123_456 } : pass));
    await assert.rejects(almanac.exports.download(ready.id, folder), withCode('file_mismatch'));
    assert.deepEqual(await readdir(folder), []);
    const reading = async (): Promise<void> => {
      const reader = almanac.exports.stream(ready.id).getReader();
      while (!(await reader.read()).done);
    };
    await assert.rejects(reading(), withCode('file_mismatch'));
    proxy.reset();
    await almanac.exports.download(ready.id, folder);
  });

  it('gets all answers through a storm of 429, and requests each export once', async () => {
    const body = { detail: 'Slow down.', code: 'rate_limited', request_id: 'storm' };
    let count = 0;
    proxy.use(() => ((count += 1) % 3 === 0 ? pass : { kind: 'answer', status: 429, body, retryAfterS: 0 }));
    const pages = await Promise.all(
      Array.from({ length: 12 }, (_, n) => almanac.markets.get(ticker, {}, { maxRetries: 20 + n })),
    );
    assert.ok(pages.every(({ market }) => market.ticker === ticker));
    assert.ok(count > 12 * 2);
  });

  it('has one effect of a POST whose answers are lost', async () => {
    const keysBefore = (await almanac.keys.list().toArray()).length;
    let posts = 0;
    proxy.use(({ method }) => (method === 'POST' && (posts += 1) <= 2 ? { kind: 'cut', afterBytes: 10 } : pass));
    const key = await almanac.keys.create({ name: 'once' });
    assert.equal(posts, 3);
    // The first answer had the secret, and it was lost.
    assert.deepEqual([key.secret, key.secret_already_shown], [null, true]);
    assert.equal((await almanac.keys.list().toArray()).length, keysBefore + 1);
  });

  it('reads every row once although pages are cut off', async () => {
    let pages = 0;
    proxy.use(({ url }) =>
      url.includes('/snapshots') && (pages += 1) % 2 === 1 ? { kind: 'cut', afterBytes: 1_000 } : pass,
    );
    const rows = await almanac.markets.snapshots(ticker, { step_ms: 0, limit: 4_000 }).toArray();
    assert.deepEqual(
      rows.map(({ ts }) => ts),
      Array.from({ length: rowsN }, (_, n) => openS + n),
    );
  });

  it('waits for an export while the gateway is killed and restarted', async () => {
    const store = running.system.infrastructure.servers.find(({ name }) => name === 'the object store');
    const resume = await suspendProcess(store?.process.pid ?? assert.fail('the object store does not run'));
    try {
      const created = await almanac.exports.create({ ticker, format: 'jsonl.gz' });
      let sawPending = (): void => undefined;
      const pending = new Promise<void>((resolve) => (sawPending = resolve));
      const states: string[] = [];
      const waiting = almanac.exports.wait(created.id, {
        onProgress: ({ status }) => {
          states.push(status);
          sawPending();
        },
      });
      await pending;
      await running.system.kill('gateway');
      await running.system.restart('gateway');
      resume();
      assert.equal((await waiting).status, 'ready');
      assert.deepEqual([states[0], states.at(-1)], ['pending', 'ready']);
    } finally {
      resume();
    }
  });

  it('polls where a proxy does not pass events on', async () => {
    const created = await almanac.exports.create({ ticker, format: 'json' });
    const body = { detail: 'Too many.', code: 'too_many_streams', request_id: 'x' };
    proxy.use(({ url }) => (url.endsWith('/events') ? { kind: 'answer', status: 429, body, retryAfterS: 0 } : pass));
    assert.equal((await almanac.exports.wait(created.id)).status, 'ready');
  });
});
