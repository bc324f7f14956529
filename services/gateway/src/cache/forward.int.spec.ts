import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { Reply, subjects } from '@almanac/bus';
import type { RpcContext } from '@almanac/bus/server';
import { catalogRpc, type Contract, DomainError, exportRpc, type ReplyMeta, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
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
