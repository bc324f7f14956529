import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type Bus, connectBus, ensureStream, lastEvent, natsAccounts } from '@almanac/bus';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { execute } from './decider.js';
import { jetStreamStore } from './jetstream-store.js';
import { replicateStates, stateCache, type StateCacheOptions } from './state-cache.js';
import { addition, counter, type CounterState, counterState } from './testing/test-counter.js';

describe('cached states', () => {
  let nats: TestNats;
  let writer: Bus;
  let reader: Bus;
  let commands = 0;
  before(async () => {
    nats = await testNats({ accounts: natsAccounts(() => 'test') });
    writer = await connectBus({ url: nats.url, user: 'export', password: 'test' });
    reader = await connectBus({ url: nats.url, user: 'gateway', password: 'test' });
    await ensureStream(writer, 'EVT_EXPORT');
  });
  after(async () => {
    await Promise.all([writer.close(), reader.close()]);
    await nats.stop();
  });

  const add = (subject: string, by = 1) =>
    execute(jetStreamStore(writer), counter, addition(subject, `c-${(commands += 1)}`, { by }));
  const options: StateCacheOptions<CounterState> = {
    stream: 'EVT_EXPORT',
    filter: 'evt.export.>',
    state: counterState,
    max: 100,
    readFrom: 'leader',
    onUnreadable: assert.fail,
  };
  const loads = () => reader.streams.stats().outMsgs;

  it('load once, then follow their events without loading', async () => {
    const cache = await stateCache(reader, options);
    await add('evt.export.a.1');
    const [one, same] = await Promise.all([cache.get('evt.export.a.1'), cache.get('evt.export.a.1')]);
    assert.equal(one?.state.sum, 1);
    assert.equal(same, one);
    await add('evt.export.a.1');
    await eventually(async () => assert.equal((await cache.get('evt.export.a.1'))?.state.sum, 2));
    const loadsBefore = loads();
    for (let n = 0; n < 100; n += 1) await cache.get('evt.export.a.1');
    assert.ok(loads() - loadsBefore < 5);
    assert.equal(await cache.get('evt.export.b.1'), undefined);
    await add('evt.export.b.1');
    assert.equal((await cache.get('evt.export.b.1'))?.state.sum, 1, 'what is not is not remembered');
    await cache.stop();
  });

  it('follow an entity that had no event, without loading, where a cache remembers it', async () => {
    const cache = await stateCache(reader, { ...options, cachesMissing: true });
    assert.equal(await cache.get('evt.export.missing.1'), undefined);
    const loadsBefore = loads();
    for (let n = 0; n < 100; n += 1) assert.equal(await cache.get('evt.export.missing.1'), undefined);
    assert.ok(loads() - loadsBefore < 5);
    await add('evt.export.missing.1');
    await eventually(async () => assert.equal((await cache.get('evt.export.missing.1'))?.state.sum, 1));
    assert.ok(loads() - loadsBefore < 5);
    await cache.stop();
  });

  it('load again when the caller knows of a change', async () => {
    const cache = await stateCache(reader, options);
    await add('evt.export.again.1');
    assert.equal((await cache.get('evt.export.again.1'))?.state.sum, 1);
    for (let sum = 2; sum < 20; sum += 1) {
      await add('evt.export.again.1');
      const started = cache.get('evt.export.again.1');
      assert.equal((await cache.refresh('evt.export.again.1'))?.state.sum, sum);
      await started;
      assert.equal((await cache.get('evt.export.again.1'))?.state.sum, sum);
    }
    await cache.stop();
  });

  it('never go back, and end current, while writers and misses race', async () => {
    const cache = await stateCache(reader, { ...options, max: 3 });
    const subjectsN = Array.from({ length: 6 }, (_, n) => `evt.export.race.${n}`);
    const highest = new Map<string, number>();
    let writing = true;
    const reading = (async () => {
      while (writing) {
        for (const subjectN of subjectsN) {
          const sum = (await cache.get(subjectN))?.state.sum ?? 0;
          assert.ok(sum >= (highest.get(subjectN) ?? 0), `${subjectN} went back to ${sum}`);
          highest.set(subjectN, sum);
        }
      }
    })();
    await Promise.all(
      subjectsN.map(async (subjectN) => {
        for (let n = 0; n < 50; n += 1) await add(subjectN);
      }),
    );
    writing = false;
    await reading;
    for (const subjectN of subjectsN)
      await eventually(async () => assert.equal((await cache.get(subjectN))?.state.sum, 50));
    await cache.stop();
  });

  it('keep the most recently used states', async () => {
    const cache = await stateCache(reader, { ...options, max: 2 });
    for (const name of ['1', '2', '3']) await add(`evt.export.lru.${name}`);
    const get = (name: string) => cache.get(`evt.export.lru.${name}`);
    for (const name of ['1', '2', '1', '3']) await get(name);
    const loadsBefore = loads();
    await get('1');
    await get('3');
    assert.equal(loads() - loadsBefore, 0);
    await get('2');
    assert.ok(loads() - loadsBefore > 0);
    await cache.stop();
  });

  it('are complete from the start when a pattern is followed', async () => {
    for (const name of ['x', 'y']) await add(`evt.export.all.${name}`, 7);
    const followed = await replicateStates(reader, { ...options, filter: 'evt.export.all.*' });
    assert.deepEqual(
      new Map([...followed.states].map(([subject, { sum }]) => [subject, sum])),
      new Map([
        ['evt.export.all.x', 7],
        ['evt.export.all.y', 7],
      ]),
    );
    await add('evt.export.all.x', 1);
    await eventually(() => assert.equal(followed.states.get('evt.export.all.x')?.sum, 8));
    await followed.stop();
  });

  it('are those of a read model at first, and then those of every event after its position', async () => {
    await add('evt.export.stored.x', 1);
    const { lastSeq: seq } = await lastEvent(writer, { ...options, subject: 'evt.export.stored.x' });
    await add('evt.export.stored.y', 2);
    const known = { state: { sum: 100, tags: [] }, seq };
    const stored = { position: [seq], states: new Map([['evt.export.stored.x', known]]) };
    const followed = await replicateStates(reader, { ...options, filter: 'evt.export.stored.*', stored });
    const sums = () => ['x', 'y'].map((name) => followed.states.get(`evt.export.stored.${name}`)?.sum);
    assert.deepEqual(sums(), [100, 2]);
    await add('evt.export.stored.x', 1);
    await eventually(() => assert.deepEqual(sums(), [2, 2]));
    await followed.stop();
  });

  it('replace a followed state by one received elsewhere, unless that is older', async () => {
    await add('evt.export.put.x', 7);
    const followed = await replicateStates(reader, { ...options, filter: 'evt.export.put.*' });
    const sum = (): number | undefined => followed.states.get('evt.export.put.x')?.sum;
    followed.put('evt.export.put.x', { state: { sum: 1, tags: [] }, seq: 1 });
    assert.equal(sum(), 7);
    followed.put('evt.export.put.x', { state: { sum: 9, tags: [] }, seq: Number.MAX_SAFE_INTEGER });
    assert.equal(sum(), 9);
    await followed.stop();
  });
});
