import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { Reply, subjects } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import { catalogRpc, type Contract, DomainError, exportRpc, type ReplyMeta, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import { startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';
import { sendRaw, type RawRequest } from '../testing/raw-http.js';
import { nameOf } from '../testing/service-stubs.js';

let system: TestSystem;
const steady = steadyIn(() => system);
let key: TestKey;
let markets = 0;
before(async () => {
  system = await startSystem({ CACHE_FROM_REQUEST: '1' });
  key = system.edge.keys.createKey('internal');
});
after(() => system.stop());

/** A call that has reached its service and is answered when the test decides. */
interface Held {
  readonly signal: AbortSignal;
  readonly answer: (body: Buffer | Error, meta?: ReplyMeta) => void;
}

const request = (path: string, options: RawRequest = {}) => {
  const headers = { authorization: `Bearer ${key.text}`, ...options.headers };
  return sendRaw(`${system.url}/api/v1${path}`, { ...options, headers });
};

describe('concurrent requests for one response', () => {
  let held: Held[] = [];
  const steadyFromNone = (name: string, test: () => Promise<void>): void =>
    steady(name, () => {
      held = [];
      return test();
    });
  before(async () => {
    hold(timeseriesRpc.snapshots);
    hold(catalogRpc.search);
    hold(exportRpc.create);
    system.edge.handlers.set(nameOf(catalogRpc.categories), () => ({}));
    await changesArrived();
  });

  const hold = (contract: Contract): void =>
    void system.edge.handlers.set(nameOf(contract), async (_input: unknown, { signal }: RpcContext) => {
      const { promise, resolve, reject } = Promise.withResolvers<Reply>();
      const answer: Held['answer'] = (body, meta = {}) =>
        body instanceof Error ? reject(body) : resolve(new Reply(body, { version: 1, cacheable: true, ...meta }));
      held.push({ signal, answer });
      signal.addEventListener('abort', () => reject(new DomainError('unavailable', 'Stopped.')));
      return promise;
    });
  const market = (): string => {
    markets += 1;
    return `/markets/T${markets}/snapshots`;
  };
  const requestMany = (path: string, count: number) => Array.from({ length: count }, () => request(path));
  const arrived = (count: number) => eventually(() => assert.equal(held.length, count));
  /** Earlier requests have arrived when a later one was answered. A second one makes this certain. */
  const allArrived = async (): Promise<void> => {
    for (let time = 0; time < 3; time += 1) await request('/categories');
  };
  const changesArrived = () =>
    eventually(async () => {
      const path = market();
      held = [];
      const pendingResponses = requestMany(path, 2);
      await allArrived();
      const count = held.length;
      for (const { answer } of held) answer(Buffer.from('{}'));
      await Promise.all(pendingResponses);
      assert.equal(count, 1);
      // A gateway that has just started does not know yet that no change is missing, and stores no answer.
      const cached = request(path);
      await allArrived();
      const again = held.slice(count);
      for (const { answer } of again) answer(Buffer.from('{}'));
      await cached;
      assert.deepEqual(again, []);
    });

  steadyFromNone('share one call, and all get its response, short or long, compressed or not', async () => {
    for (const size of [10, 5_000, 2_000_000]) {
      const path = market();
      held = [];
      const pendingResponses = [
        ...requestMany(path, 20),
        ...[1, 2].map(() => request(path, { headers: { 'accept-encoding': 'gzip' } })),
      ];
      await arrived(1);
      await allArrived();
      assert.equal(held.length, 1);
      const body = Buffer.alloc(size, 'é');
      held[0]?.answer(body);
      const answers = await Promise.all(pendingResponses);
      for (const { status, bytes } of answers.slice(0, 20)) assert.ok(status === 200 && bytes.equals(body));
      assert.ok((await request(path)).bytes.equals(body));
      assert.equal(held.length, 1);
    }
  });

  steadyFromNone('make one call each when the response depends on the time', async () => {
    const path = market();
    const pendingResponses = requestMany(path, 5);
    await arrived(1);
    await allArrived();
    held[0]?.answer(Buffer.from('0'), { cacheable: false });
    await arrived(5);
    for (const [index, { answer }] of held.entries()) answer(Buffer.from(String(index)), { cacheable: false });
    const bodies = (await Promise.all(pendingResponses)).map(({ bytes }) => bytes.toString());
    assert.deepEqual(bodies.toSorted(), ['0', '1', '2', '3', '4']);
  });

  steadyFromNone('all fail when the call fails, and the next one makes a new call', async () => {
    const path = market();
    const pendingResponses = requestMany(path, 3);
    await arrived(1);
    await allArrived();
    held[0]?.answer(new DomainError('unavailable', 'Busy.'));
    for (const { status } of await Promise.all(pendingResponses)) assert.equal(status, 503);
    const next = request(path);
    await arrived(2);
    held[1]?.answer(Buffer.from('{}'));
    assert.equal((await next).status, 200);
  });

  steadyFromNone('make a new call after the data changed', async () => {
    const path = market();
    const first = request(path);
    await arrived(1);
    const ticker = `T${markets}`;
    await system.edge.append(subjects.archive(ticker), { ticker, version: 2, min_us: null, max_us: null });
    const later: Promise<unknown>[] = [];
    await eventually(() => {
      later.push(request(path));
      assert.equal(held.length, 2);
    });
    held[0]?.answer(Buffer.from('old'));
    held[1]?.answer(Buffer.from('new'), { version: 2 });
    assert.equal((await first).bytes.toString(), 'old');
    await eventually(async () => {
      for (const { answer } of held) answer(Buffer.from('new'), { version: 2 });
      assert.equal((await request(path)).bytes.toString(), 'new');
    });
    await Promise.all(later);
  });

  steadyFromNone('continue when any of them is cancelled, and stop with the last one', async () => {
    const path = market();
    const clients = [1, 2, 3].map(() => new AbortController());
    const pendingResponses: Promise<unknown>[] = [];
    for (const { signal } of clients) {
      pendingResponses.push(request(path, { signal }));
      await arrived(1);
      await allArrived();
    }
    const [first, second, third] = clients;
    first?.abort();
    await assert.rejects(pendingResponses[0] ?? Promise.resolve());
    second?.abort();
    await assert.rejects(pendingResponses[1] ?? Promise.resolve());
    await allArrived();
    assert.equal(held[0]?.signal.aborted, false);
    third?.abort();
    await assert.rejects(pendingResponses[2] ?? Promise.resolve());
    await eventually(() => assert.equal(held[0]?.signal.aborted, true));
    const next = request(path);
    await arrived(2);
    held[1]?.answer(Buffer.from('{}'));
    assert.equal((await next).status, 200);
  });

  steadyFromNone('stop with their only client on routes without caching, too', async () => {
    for (const path of [market(), '/search?q=gone']) {
      held = [];
      const client = new AbortController();
      const pendingResponses = request(path, { signal: client.signal });
      await arrived(1);
      client.abort();
      await assert.rejects(pendingResponses);
      await eventually(() => assert.equal(held[0]?.signal.aborted, true));
    }
  });

  steadyFromNone('continue a command without its client', async () => {
    const client = new AbortController();
    const pendingResponses = fetch(`${system.url}/api/v1/exports`, {
      method: 'POST',
      body: '{"event":"E"}',
      headers: { authorization: `Bearer ${key.text}`, 'content-type': 'application/json' },
      signal: client.signal,
    });
    await arrived(1);
    client.abort();
    await assert.rejects(pendingResponses);
    await allArrived();
    assert.equal(held[0]?.signal.aborted, false);
    held[0]?.answer(Buffer.from('{}'));
  });
});

const noticed = z.looseObject({
  notices: z.array(z.looseObject({ code: z.string(), nearest: z.string().nullable() })).default([]),
});

describe('notices of a cached answer', () => {
  before(() => {
    system.edge.handlers.set(nameOf(timeseriesRpc.snapshots), (input) => {
      const { ticker } = timeseriesRpc.preview.input.parse(input);
      calls.set(ticker, (calls.get(ticker) ?? 0) + 1);
      return Reply.json({ ticker, pad: 'x'.repeat(3_000) }, metas.get(ticker));
    });
  });

  const calls = new Map<string, number>();
  const metas = new Map<string, ReplyMeta>();
  const market = (meta: ReplyMeta = {}): string => {
    markets += 1;
    const ticker = `T${markets}`;
    metas.set(ticker, { ticker, version: 1, ...meta });
    return ticker;
  };
  const snapshots = (ticker: string, query = '', headers: Record<string, string> = {}) =>
    system.request(`/markets/${ticker}/snapshots${query}`, key, { headers });
  const noticesOf = async (response: Response) => noticed.parse(await response.json()).notices;

  steady('belong to one request: no cached answer has those of another', async () => {
    const ticker = market();
    const noticedResponse = await snapshots(ticker, '?limt=5');
    const plain = await snapshots(ticker);
    const again = await snapshots(ticker, '?stat_ts=5');
    const repeated = await snapshots(ticker, '?stat_ts=5');
    assert.equal(calls.get(ticker), 1);
    assert.equal((await noticesOf(noticedResponse))[0]?.nearest, 'limit');
    assert.deepEqual(await noticesOf(plain), []);
    assert.equal(plain.headers.get('almanac-notice'), null);
    for (const response of [again, repeated]) {
      assert.match(response.headers.get('almanac-notice') ?? '', /nearest="start_ts"/);
      const text = await response.text();
      assert.equal(noticed.parse(JSON.parse(text)).notices[0]?.nearest, 'start_ts');
    }
    const [accept] = await noticesOf(await snapshots(ticker, '', { accept: 'text/csvv' }));
    assert.equal(accept?.nearest, 'text/csv');
  });

  steady('change the ETag, and 304 is sent for the answer with these notices only', async () => {
    const ticker = market();
    const plain = (await snapshots(ticker)).headers.get('etag') ?? '';
    const limt = (await snapshots(ticker, '?limt=5')).headers.get('etag') ?? '';
    const other = (await snapshots(ticker, '?lmit=5')).headers.get('etag') ?? '';
    assert.equal(new Set([plain, limt, other]).size, 3);
    for (const gateway of [system, await system.another()]) {
      const statusOf = async (query: string, etag: string) => {
        const path = `/markets/${ticker}/snapshots${query}`;
        const response = await gateway.request(path, key, { headers: { 'if-none-match': etag } });
        return [response.status, response.headers.has('almanac-notice')];
      };
      assert.deepEqual(await statusOf('', plain), [304, false]);
      assert.deepEqual(await statusOf('?limt=5', limt), [304, true]);
      assert.deepEqual(await statusOf('?limt=5', plain), [200, true]);
      assert.deepEqual(await statusOf('', limt), [200, false]);
    }
  });

  steady('are in compressed answers and in long ones, whose cached copy has none', async () => {
    const ticker = market();
    const pad = 'é'.repeat(1_500_000);
    system.edge.handlers.set(nameOf(timeseriesRpc.preview), () => Reply.json({ ticker, pad }, metas.get(ticker)));
    for (const query of ['?limt=5', '', '?limt=5']) {
      const path = `/markets/${ticker}/preview${query}`;
      for (const encoding of ['gzip', 'identity']) {
        const answer = await request(path, { headers: { 'accept-encoding': encoding } });
        const bytes = encoding === 'gzip' ? gunzipSync(answer.bytes) : answer.bytes;
        if (encoding === 'identity') assert.equal(Number(answer.headers['content-length']), answer.bytes.length);
        const body = noticed.extend({ pad: z.string() }).parse(JSON.parse(bytes.toString('utf8')));
        assert.deepEqual([body.notices.length, body.pad === pad], [query === '' ? 0 : 1, true], `${query} ${encoding}`);
      }
    }
  });

  steady('of a service are in the same list, before those on the request, and are cached', async () => {
    const clamped = { code: 'window_clamped' as const, detail: 'Cut.', loc: ['query', 'end_ts'], nearest: '5' };
    const ticker = market({ notices: [clamped] });
    const codesOf = async (query: string, headers: Record<string, string> = {}) => {
      const response = await snapshots(ticker, query, headers);
      const header = response.headers.get('almanac-notice') ?? '';
      const body = await noticesOf(response);
      assert.deepEqual(
        new Set([...header.matchAll(/([a-z_]+);loc/g)].map(([, code]) => code)),
        new Set(body.map(({ code }) => code)),
      );
      return body.map(({ code }) => code);
    };
    for (let time = 0; time < 3; time += 1) {
      assert.deepEqual(await codesOf(''), ['window_clamped']);
      assert.deepEqual(await codesOf('?limt=5'), ['window_clamped', 'unknown_parameter']);
      assert.deepEqual(await codesOf('', { prefer: 'handling=strict' }), ['window_clamped']);
    }
    assert.equal(calls.get(ticker), 1);
  });
});
