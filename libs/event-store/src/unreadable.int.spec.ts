import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import {
  acknowledgementOf,
  type AdminBus,
  connectBus,
  deadLetterStream,
  ensureDeadLetters,
  ensureStream,
  openDeadLetters,
  subjects,
  natsAccounts,
} from '@almanac/bus';
import { DomainError } from '@almanac/contracts';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { execute } from './decider.js';
import { jetStreamStore } from './jetstream-store.js';
import { replicateStates, stateCache } from './state-cache.js';
import { addition, counter, counterEvent, counterState } from './testing/test-counter.js';

const stream = 'EVT_EXPORT';

describe('a message that is no event', () => {
  let nats: TestNats;
  let admin: AdminBus;
  let writer: AdminBus;
  let other: AdminBus;
  let reader: AdminBus;
  let commands = 0;
  const connect = (user: string) => connectBus({ url: nats.url, user, password: 'test' });
  before(async () => {
    nats = await testNats({ accounts: natsAccounts(() => 'test', { admin: 'test' }) });
    [admin, writer, other, reader] = await Promise.all([
      connect('admin'),
      connect('export'),
      connect('commerce'),
      connect('gateway'),
    ]);
    await ensureStream(writer, stream);
    await ensureDeadLetters(writer);
  });
  after(async () => {
    await Promise.all([admin, writer, other, reader].map((bus) => bus.close()));
    await nats.stop();
  });

  const add = (bus: AdminBus, subject: string, by = 1) =>
    execute(jetStreamStore(bus), counter, addition(subject, `command-${(commands += 1)}`, { by }));
  const junk = async (subject: string, text = '{"no":"event"}'): Promise<number> =>
    (await admin.js.publish(subject, text)).seq;
  const sumAt = async (bus: AdminBus, subject: string) =>
    (await jetStreamStore(bus).load(subject, counterState))?.state.sum;
  const lettersOf = async (seq: number): Promise<number> => {
    const subject = subjects.unreadable(stream, seq);
    const { state } = await admin.jsm.streams.info(deadLetterStream, { subjects_filter: subject });
    return state.subjects?.[subject] ?? 0;
  };

  it('leaves its entity at the last event, and the next change is stored after it', async () => {
    for (const [index, text] of [
      '{"no":"event"}',
      'no json',
      '',
      '[]',
      JSON.stringify({ ...counterEvent('x', 1), state: 7 }),
    ].entries()) {
      const at = `evt.export.skip.${index}`;
      await add(writer, at, 5);
      await junk(at, text);
      for (const bus of [writer, other]) assert.equal(await sumAt(bus, at), 5, text);
      assert.equal((await add(other, at))?.state.sum, 6, text);
      assert.equal(await sumAt(writer, at), 6);
    }
  });

  it('does not prevent the first event of an entity', async () => {
    const at = 'evt.export.first.1';
    await junk(at);
    assert.equal(await sumAt(writer, at), undefined);
    assert.equal((await add(writer, at, 3))?.state.sum, 3);
    assert.equal(await sumAt(other, at), 3);
  });

  it('does not lose a change that two processes decide after it', async () => {
    const at = 'evt.export.both.1';
    await add(writer, at);
    await junk(at);
    const stores = [jetStreamStore(writer), jetStreamStore(other)];
    await Promise.all(
      Array.from({ length: 20 }, (_, n) => {
        const store = stores[n % 2] ?? assert.fail();
        return execute(store, counter, addition(at, `both-${n}`, { by: 1 }, 60_000));
      }),
    );
    assert.equal(await sumAt(writer, at), 21);
  });

  it('does not fail a change that is decided on a cached state', async () => {
    const at = 'evt.export.cached.1';
    const first = await add(writer, at);
    await junk(at);
    const command = { ...addition(at, 'cached-2', { by: 1 }), cachedState: first ?? null };
    assert.equal((await execute(jetStreamStore(writer), counter, command))?.state.sum, 2);
  });

  it('is skipped with others, far behind events of other entities', async () => {
    const at = 'evt.export.far.1';
    const good = (await add(writer, at, 9))?.seq ?? assert.fail();
    for (const distance of [1, 2, 3, 30, 1, 200]) {
      for (let n = 0; n < distance; n += 1)
        void admin.js.publish(`evt.export.noise.${n}`, JSON.stringify(counterEvent(`noise-${distance}-${n}`, n)));
      await junk(at);
    }
    const loaded = await jetStreamStore(writer).load(at, counterState);
    assert.deepEqual([loaded?.seq, loaded?.state.sum], [good, 9]);
    assert.equal((await add(writer, at))?.state.sum, 10);
  });

  it('becomes a dead letter once, however many processes read it, until it is acknowledged', async () => {
    const at = 'evt.export.letter.1';
    await add(writer, at);
    const openBefore = (await openDeadLetters(admin)).unreadable.size;
    const seq = await junk(at);
    const subject = subjects.unreadable(stream, seq);
    const buses = [writer, other, ...(await Promise.all([connect('export'), connect('commerce')]))];
    for (const bus of buses) for (let n = 0; n < 3; n += 1) assert.equal(await sumAt(bus, at), 1);
    await eventually(async () => assert.equal(await lettersOf(seq), 1));
    const letter = await admin.jsm.streams.getMessage(deadLetterStream, { last_by_subj: subject });
    assert.deepEqual(
      [letter?.header.get('Almanac-Subject'), letter?.header.get('Almanac-Sequence')],
      [at, String(seq)],
    );
    assert.equal((await openDeadLetters(admin)).unreadable.size, openBefore + 1);
    await admin.js.publish(acknowledgementOf(subject));
    assert.ok(!(await openDeadLetters(admin)).unreadable.has(subject));
    const late = await connect('export');
    assert.equal(await sumAt(late, at), 1);
    await late.streams.flush();
    assert.equal(await lettersOf(seq), 1);
    assert.equal((await admin.jsm.streams.getMessage(stream, { seq }))?.string(), '{"no":"event"}');
    await Promise.all([...buses.slice(2), late].map((bus) => bus.close()));
  });

  it('is reported as unavailable only when a hundred of them hide the last event', async () => {
    const at = 'evt.export.flood.1';
    await add(writer, at, 4);
    for (let n = 0; n < 100; n += 1) await junk(at);
    assert.equal(await sumAt(writer, at), 4);
    await junk(at);
    await assert.rejects(sumAt(other, at), (error) => error instanceof DomainError && error.code === 'unavailable');
  });

  it('is skipped by cached states, at their load and afterwards', async () => {
    const options = { stream, state: counterState, max: 10, readFrom: 'leader' } as const;
    const unreadable: number[] = [];
    const onUnreadable = (_error: unknown, { seq }: { seq: number }): void => void unreadable.push(seq);
    const at = 'evt.export.followed.1';
    await add(writer, at, 2);
    const earlier = await junk(at);
    const cache = await stateCache(reader, { ...options, filter: 'evt.export.>', onUnreadable });
    const replica = await replicateStates(reader, { ...options, filter: 'evt.export.followed.*', onUnreadable });
    assert.deepEqual(unreadable, [earlier]);
    assert.equal((await cache.get(at))?.state.sum, 2);
    assert.equal(replica.states.get(at)?.sum, 2);
    const later = await junk(at);
    await eventually(() => assert.deepEqual(unreadable, [earlier, later, later]));
    assert.equal((await cache.refresh(at))?.state.sum, 2);
    await eventually(async () => assert.deepEqual([await lettersOf(earlier), await lettersOf(later)], [1, 1]));
    await add(writer, at);
    await eventually(async () =>
      assert.deepEqual([(await cache.get(at))?.state.sum, replica.states.get(at)?.sum], [3, 3]),
    );
    await Promise.all([cache.stop(), replica.stop()]);
  });
});
