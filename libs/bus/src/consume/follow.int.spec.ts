import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import type { AdminBus } from '../bus.js';
import { follow, followCurrent, type Following, type FollowOptions } from './follow.js';
import { subjects } from '../names.js';
import {
  appendCounts,
  type CounterState,
  counterState,
  startTestBus,
  type TestBus,
  failOnCall,
  emptyStreams,
} from '../testing/test-bus.js';

const stream = 'EVT_CATALOG';

describe('following a stream', () => {
  let nats: TestBus;
  let admin: AdminBus;
  let bus: AdminBus;
  const running: Following[] = [];
  const subject = subjects.market('A');

  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    bus = await nats.connect('catalog');
  });
  beforeEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    await emptyStreams(admin, stream);
  });
  after(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    await nats.stop();
  });

  const start = async (seen: number[], changes: Partial<FollowOptions<CounterState>> = {}): Promise<Following> => {
    const onEvent: FollowOptions<CounterState>['onEvent'] = ({ event }) => void seen.push(event.state.n);
    const options = { stream, from: 'first', state: counterState, onEvent, onUnreadable: failOnCall } as const;
    const one = await follow(bus, { ...options, ...changes });
    running.push(one);
    return one;
  };

  it('reports how many of the stored events it has handled', async () => {
    await appendCounts(admin, subject, [1, 3]);
    const reported: object[] = [];
    let following: Following | undefined;
    const onEvent = (): void => void reported.push({ ...following?.progress });
    following = await start([], { onEvent });
    await following.caughtUp;
    assert.deepEqual(following.progress, { read: 3, stored: 3 });
    assert.deepEqual(reported.at(-1), { read: 2, stored: 3 });
    await appendCounts(admin, subject, [4, 4]);
    await eventually(() => assert.equal(following.seq, 4));
    assert.deepEqual(following.progress, { read: 3, stored: 3 });
  });

  it('delivers all stored events before it has caught up, then new ones, in order', async () => {
    await appendCounts(admin, subject, [1, 1_500]);
    const seen: number[] = [];
    const following = await start(seen);
    await following.caughtUp;
    assert.ok(seen.length >= 1_500);
    await appendCounts(admin, subject, [1_501, 1_600]);
    await eventually(() => assert.equal(following.seq, 1_600));
    assert.deepEqual(
      seen,
      Array.from({ length: 1_600 }, (_, n) => n + 1),
    );
  });

  it('has caught up at once when no stored event matches', async () => {
    await (
      await start([])
    ).caughtUp;
    await appendCounts(admin, subject, [1, 3]);
    const seen: number[] = [];
    await (
      await start(seen, { filter: 'evt.catalog.series.*' })
    ).caughtUp;
    await appendCounts(admin, subjects.series('S'), [4, 4]);
    await eventually(() => assert.deepEqual(seen, [4]));
  });

  it('catches up while others append', async () => {
    await appendCounts(admin, subject, [1, 600]);
    let appending = true;
    const append = (async () => {
      for (let n = 601; appending; n += 10) await appendCounts(admin, subject, [n, n + 9]);
    })();
    const following = await start([]);
    await following.caughtUp;
    assert.ok(following.seq >= 600);
    appending = false;
    await append;
  });

  it('from now on skips all earlier events', async () => {
    await appendCounts(admin, subject, [1, 10]);
    const seen: number[] = [];
    await (
      await start(seen, { from: 'new' })
    ).caughtUp;
    await appendCounts(admin, subject, [11, 12]);
    await eventually(() => assert.deepEqual(seen, [11, 12]));
  });

  it('gives every event to each of many followers, even in one process', async () => {
    const all = Array.from({ length: 5 }, (): number[] => []);
    await Promise.all(all.map((seen) => start(seen)));
    await appendCounts(admin, subject, [1, 300]);
    await eventually(() => assert.ok(all.every((seen) => seen.length === 300)));
  });

  it('reports a message that is no event, and continues', async () => {
    await admin.js.publish(subject, 'no json');
    await appendCounts(admin, subject, [2, 2]);
    const seen: number[] = [];
    const unreadable: number[] = [];
    await (
      await start(seen, { onUnreadable: (_, { seq }) => void unreadable.push(seq) })
    ).caughtUp;
    assert.deepEqual([unreadable, seen], [[1], [2]]);
  });

  for (const from of ['first', 'new'] as const) {
    it(`from ${from} continues without a hole or a repeat after the server was lost`, async () => {
      await appendCounts(admin, subject, [1, 100]);
      const seen: number[] = [];
      const following = await start(seen, { from });
      await following.caughtUp;
      await nats.server.restart();
      await eventually(async () => assert.ok(await admin.streams.rtt()));
      await appendCounts(admin, subject, [101, 200]);
      await eventually(() => assert.equal(following.seq, 200));
      const first = from === 'first' ? 1 : 101;
      assert.deepEqual(
        seen,
        Array.from({ length: 201 - first }, (_, n) => n + first),
      );
    });
  }

  it('leaves no consumer on the server when it stops, even after a lost connection', async () => {
    const consumers = async () => (await admin.jsm.streams.info(stream)).state.consumer_count;
    const following = await start([]);
    assert.equal(await consumers(), 1);
    await following.stop();
    assert.equal(await consumers(), 0);
    running.splice(0);
    const other = await start([]);
    await nats.server.restart();
    await eventually(async () => assert.ok(await admin.streams.rtt()));
    await appendCounts(admin, subject, [1, 1]);
    // Its consumer is there again. One that it stops while it is being recreated, the server removes later.
    await eventually(() => assert.equal(other.seq, 1));
    await other.stop();
    running.splice(0);
    await eventually(async () => assert.equal(await consumers(), 0));
  });

  it('delivers the last event of each subject of a pattern, then new ones, even while others append', async () => {
    const names = Array.from({ length: 30 }, (_, n) => subjects.series(`S${n}`));
    for (const [index, name] of names.entries()) await appendCounts(admin, name, [3 * index + 1, 3 * index + 3]);
    await appendCounts(admin, subject, [91, 95]);
    await admin.js.publish(subjects.series('broken'), 'no json');
    const seen = new Map<string, number[]>();
    const unreadable: number[] = [];
    const [first = ''] = names;
    const appending = appendCounts(admin, first, [97, 130]);
    const following = await followCurrent(bus, {
      stream,
      filter: 'evt.catalog.series.*',
      state: counterState,
      onEvent: ({ subject: name, event }) => void seen.set(name, [...(seen.get(name) ?? []), event.state.n]),
      onUnreadable: (_, { seq }) => void unreadable.push(seq),
    });
    assert.deepEqual([seen.size, unreadable], [30, [96]]);
    assert.deepEqual(seen.get(names[1] ?? ''), [6], 'not what was before the last');
    await appending;
    await eventually(() => assert.equal(seen.get(first)?.at(-1), 130));
    const counts = seen.get(first) ?? [];
    assert.deepEqual(
      counts,
      counts.toSorted((a, b) => a - b),
    );
    await following.stop();
  });
});
