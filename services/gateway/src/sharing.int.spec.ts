import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Reply, type RpcContext, subjects } from '@almanac/bus';
import { catalogRpc, type Contract, DomainError, exportRpc, type ReplyMeta, timeseriesRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { nameOf } from './testing/edge.js';
import { startSystem, type TestSystem } from './testing/gateway.js';
import { askRaw, type RawAsk } from './testing/raw-http.js';

/** A call that has arrived at its service and is answered when the test says so. */
interface Held {
  readonly signal: AbortSignal;
  readonly answer: (body: Buffer | Error, meta?: ReplyMeta) => void;
}

describe('the same question asked by many at once', () => {
  let system: TestSystem;
  let authorization = '';
  let held: Held[] = [];
  let markets = 0;
  before(async () => {
    system = await startSystem({ CACHE_MB: '64' });
    authorization = `Bearer ${system.edge.keys.createKey().text}`;
    hold(timeseriesRpc.snapshots);
    hold(catalogRpc.search);
    hold(exportRpc.create);
    system.edge.answers.set(nameOf(catalogRpc.categories), () => ({}));
    await changesAreHeard();
  });
  after(() => system.stop());
  beforeEach(() => void (held = []));

  const hold = (contract: Contract): void =>
    void system.edge.answers.set(nameOf(contract), async (_input: unknown, { signal }: RpcContext) => {
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
  const ask = (path: string, asked: RawAsk = {}) =>
    askRaw(`${system.url}/api/v1${path}`, { ...asked, headers: { authorization, ...asked.headers } });
  const askMany = (path: string, count: number) => Array.from({ length: count }, () => ask(path));
  const arrived = (count: number) => eventually(() => assert.equal(held.length, count));
  /** Who asked before is known to have arrived once one who asks later was answered, and once more to be sure. */
  const allAsked = async (): Promise<void> => {
    for (let time = 0; time < 3; time += 1) await ask('/categories');
  };
  const changesAreHeard = () =>
    eventually(async () => {
      const path = market();
      held = [];
      const asking = askMany(path, 2);
      await allAsked();
      const count = held.length;
      for (const { answer } of held) answer(Buffer.from('{}'));
      await Promise.all(asking);
      assert.equal(count, 1);
    });

  it('is one call, and all have its answer, short or long, packed or not', async () => {
    for (const size of [10, 5_000, 2_000_000]) {
      const path = market();
      held = [];
      const asking = [...askMany(path, 20), ...[1, 2].map(() => ask(path, { headers: { 'accept-encoding': 'gzip' } }))];
      await arrived(1);
      await allAsked();
      assert.equal(held.length, 1);
      const body = Buffer.alloc(size, 'é');
      held[0]?.answer(body);
      const answers = await Promise.all(asking);
      for (const { status, bytes } of answers.slice(0, 20)) assert.ok(status === 200 && bytes.equals(body));
      assert.ok((await ask(path)).bytes.equals(body));
      assert.equal(held.length, 1);
    }
  });

  it('is asked by each of them where the answer depends on the moment', async () => {
    const path = market();
    const asking = askMany(path, 5);
    await arrived(1);
    await allAsked();
    held[0]?.answer(Buffer.from('0'), { cacheable: false });
    await arrived(5);
    for (const [index, { answer }] of held.entries()) answer(Buffer.from(String(index)), { cacheable: false });
    const bodies = (await Promise.all(asking)).map(({ bytes }) => bytes.toString());
    assert.deepEqual(bodies.toSorted(), ['0', '1', '2', '3', '4']);
  });

  it('fails for all when its call fails, and is asked again by the next', async () => {
    const path = market();
    const asking = askMany(path, 3);
    await arrived(1);
    await allAsked();
    held[0]?.answer(new DomainError('unavailable', 'Busy.'));
    for (const { status } of await Promise.all(asking)) assert.equal(status, 503);
    const next = ask(path);
    await arrived(2);
    held[1]?.answer(Buffer.from('{}'));
    assert.equal((await next).status, 200);
  });

  it('is a new call for who asks after its data changed', async () => {
    const path = market();
    const first = ask(path);
    await arrived(1);
    const ticker = `T${markets}`;
    await system.edge.append(subjects.archive(ticker), { ticker, version: 2, min_us: null, max_us: null });
    const later: Promise<unknown>[] = [];
    await eventually(() => {
      later.push(ask(path));
      assert.equal(held.length, 2);
    });
    held[0]?.answer(Buffer.from('old'));
    held[1]?.answer(Buffer.from('new'), { version: 2 });
    assert.equal((await first).bytes.toString(), 'old');
    await eventually(async () => {
      for (const { answer } of held) answer(Buffer.from('new'), { version: 2 });
      assert.equal((await ask(path)).bytes.toString(), 'new');
    });
    await Promise.all(later);
  });

  it('goes on when one of them goes away, the first too, and stops when the last did', async () => {
    const path = market();
    const clients = [1, 2, 3].map(() => new AbortController());
    const asking: Promise<unknown>[] = [];
    for (const { signal } of clients) {
      asking.push(ask(path, { signal }));
      await arrived(1);
      await allAsked();
    }
    const [first, second, third] = clients;
    first?.abort();
    await assert.rejects(asking[0] ?? Promise.resolve());
    second?.abort();
    await assert.rejects(asking[1] ?? Promise.resolve());
    await allAsked();
    assert.equal(held[0]?.signal.aborted, false);
    third?.abort();
    await assert.rejects(asking[2] ?? Promise.resolve());
    await eventually(() => assert.equal(held[0]?.signal.aborted, true));
    const next = ask(path);
    await arrived(2);
    held[1]?.answer(Buffer.from('{}'));
    assert.equal((await next).status, 200);
  });

  it('stops when its only client goes away, on routes whose answers nobody keeps too', async () => {
    for (const path of [market(), '/search?q=gone']) {
      held = [];
      const client = new AbortController();
      const asking = ask(path, { signal: client.signal });
      await arrived(1);
      client.abort();
      await assert.rejects(asking);
      await eventually(() => assert.equal(held[0]?.signal.aborted, true));
    }
  });

  it('goes on without its client where it is a command', async () => {
    const client = new AbortController();
    const asking = fetch(`${system.url}/api/v1/exports`, {
      method: 'POST',
      body: '{"event":"E"}',
      headers: { authorization, 'content-type': 'application/json' },
      signal: client.signal,
    });
    await arrived(1);
    client.abort();
    await assert.rejects(asking);
    await allAsked();
    assert.equal(held[0]?.signal.aborted, false);
    held[0]?.answer(Buffer.from('{}'));
  });
});
