import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@almanac/testing';
import type { AdminBus, Running } from '../bus.js';
import { consumeBatches, type ConsumeBatchesOptions } from './consume-batches.js';
import { positionsOf } from '../streams/consumer-positions.js';
import type { EventMessage } from '../streams/events.js';
import { acknowledgedUpTo } from '../streams/jetstream-reads.js';
import { deadLetterStream, durables, subjects } from '../names.js';
import {
  appendCounts,
  type CounterState,
  counterState,
  startTestBus,
  type TestBus,
  crash,
  emptyStreams,
} from '../testing/test-bus.js';

const stream = 'EVT_CATALOG';
const durable = durables.catalogReadModel;
const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

describe('a batch consumer', () => {
  let nats: TestBus;
  let admin: AdminBus;
  let bus: AdminBus;
  let next: string[];
  const running: Running[] = [];
  const subject = subjects.market('A');

  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    bus = await nats.connect('catalog');
  });
  beforeEach(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    next = [];
    await emptyStreams(admin, stream);
  });
  after(async () => {
    await Promise.all(running.splice(0).map((one) => one.stop()));
    await nats.stop();
  });

  type Handle = ConsumeBatchesOptions<CounterState>['handle'];
  const start = async (handle: Handle, changes: Partial<ConsumeBatchesOptions<CounterState>> = {}, on = bus) => {
    const onFailure = (_: unknown, __: object, then: string) => void next.push(then);
    const options = { stream, durable, state: counterState, batchMax: 100, onFailure, handle, ...changes } as const;
    const one = await consumeBatches(on, options);
    running.push(one);
    return one;
  };
  const settled = (n: number) => eventually(async () => assert.equal(await acknowledgedUpTo(bus, stream, durable), n));

  it('handles the waiting events in batches, in order, each event once', async () => {
    await appendCounts(admin, subject, [1, 550]);
    const seen: number[] = [];
    const sizes: number[] = [];
    await start(async (messages) => {
      sizes.push(messages.length);
      seen.push(...messages.map(({ event }) => event.state.n));
      await delay(1);
    });
    await settled(550);
    assert.deepEqual(seen, upTo(550));
    assert.ok(Math.max(...sizes) === 100 && sizes.length < 50, sizes.join(' '));
  });

  // If single events waited for others until the pull request expires, they would take longer than this test may.
  it('handles a single event without waiting for others', { timeout: 60_000 }, async () => {
    const batches: number[][] = [];
    await start(async (messages) => void batches.push(messages.map(({ event }) => event.state.n)));
    for (let n = 1; n <= 13; n += 1) {
      await appendCounts(admin, subject, [n, n]);
      await settled(n);
    }
    assert.deepEqual(
      batches,
      upTo(13).map((n) => [n]),
    );
  });

  it('starts the first batch at once and the next ones no sooner than the configured interval', async () => {
    const batches: number[][] = [];
    await start(async (messages) => void batches.push(messages.map(({ event }) => event.state.n)), { everyMs: 4_000 });
    await appendCounts(admin, subject, [1, 1]);
    await settled(1);
    for (let n = 2; n <= 6; n += 1) await appendCounts(admin, subject, [n, n]);
    await settled(6);
    assert.deepEqual(batches, [[1], [2, 3, 4, 5, 6]]);
  });

  // If each batch of 100 were followed by a minute, the last event would wait for 5 minutes.
  it('passes events that it does not concern, without the interval after them', { timeout: 60_000 }, async () => {
    await appendCounts(admin, subject, [1, 550]);
    const batches: number[][] = [];
    const concerns = ({ event }: EventMessage<CounterState>): boolean => event.state.n === 550;
    await start(async (messages) => void batches.push(messages.map(({ event }) => event.state.n)), {
      everyMs: 60_000,
      concerns,
    });
    await settled(550);
    assert.deepEqual(batches, [[550]]);
  });

  it('repeats a failed batch as a whole and skips nothing, even beyond the ack wait', async () => {
    await appendCounts(admin, subject, [1, 150]);
    const batches: number[][] = [];
    await start(
      async (messages) => {
        batches.push(messages.map(({ event }) => event.state.n));
        if (batches.length < 6) throw new Error('not yet');
      },
      // Five pauses take at least 3.9 s.
      { ackWaitMs: 3_000 },
    );
    await settled(150);
    const [first = []] = batches;
    assert.deepEqual(
      batches.slice(0, 6),
      Array.from({ length: 6 }, () => first),
    );
    assert.deepEqual([...first, ...batches.slice(6).flat()], upTo(150), 'nothing came twice, or out of order');
    assert.deepEqual(next, ['retry', 'retry', 'retry', 'retry', 'retry']);
  });

  it('with newOnly, leaves out what was stored before its first start, and nothing after it', async () => {
    const seen: number[] = [];
    const handle: Handle = async (messages) => void seen.push(...messages.map(({ event }) => event.state.n));
    await appendCounts(admin, subject, [1, 10]);
    const first = await start(handle, { newOnly: true });
    await appendCounts(admin, subject, [11, 12]);
    await settled(12);
    await first.stop();
    await appendCounts(admin, subject, [13, 14]);
    await start(handle, { newOnly: true });
    await settled(14);
    assert.deepEqual(seen, [11, 12, 13, 14]);
  });

  it('with newOnly, has a position that continues after its first start before any event', async () => {
    await appendCounts(admin, subject, [1, 10]);
    await start(async () => undefined, { newOnly: true });
    const [position] = await positionsOf(admin, [{ stream, durable }]);
    assert.equal(position?.acknowledged, 10);
  });

  it('with newOnly, is opened by two processes at once while events are stored', { timeout: 120_000 }, async () => {
    const other = await nats.connect('catalog');
    for (let round = 0; round < 8; round += 1) {
      const seen: number[] = [];
      const handle: Handle = async (messages) => void seen.push(...messages.map(({ event }) => event.state.n));
      const appended = appendCounts(admin, subject, [1, 100]);
      const both = await Promise.all([start(handle, { newOnly: true }), start(handle, { newOnly: true }, other)]);
      await appended;
      await appendCounts(admin, subject, [101, 110]);
      await settled((round + 1) * 110);
      assert.deepEqual(
        seen.filter((n) => n > 100).toSorted((a, b) => a - b),
        upTo(110).slice(100),
      );
      await Promise.all(both.map((one) => one.stop()));
      await admin.jsm.consumers.delete(stream, durable);
    }
    await other.close();
  });

  it('extends the ack wait of events that queue behind a long batch', async () => {
    await appendCounts(admin, subject, [1, 30]);
    const seen: number[] = [];
    const handle: Handle = async (messages) => {
      seen.push(...messages.map(({ event }) => event.state.n));
      await delay(4_000);
    };
    await start(handle, { ackWaitMs: 3_000, batchMax: 15 });
    await settled(30);
    assert.deepEqual(seen, upTo(30));
  });

  it('moves a message that is no event to the dead letters, and handles the rest of the batch', async () => {
    await appendCounts(admin, subject, [1, 1]);
    await admin.js.publish(subject, 'no json');
    await appendCounts(admin, subject, [3, 3]);
    await admin.js.publish(subjects.market('B'), '{}');
    const seen: number[] = [];
    await start(async (messages) => void seen.push(...messages.map(({ event }) => event.state.n)));
    await settled(4);
    assert.deepEqual(seen, [1, 3]);
    assert.equal((await admin.jsm.streams.info(deadLetterStream)).state.messages, 2);
  });

  it('finishes the current batch when it stops, and leaves the rest to others', async () => {
    await appendCounts(admin, subject, [1, 400]);
    const seen: number[] = [];
    const started = Promise.withResolvers<void>();
    const released = Promise.withResolvers<void>();
    const handle: Handle = async (messages) => {
      started.resolve();
      await released.promise;
      seen.push(...messages.map(({ event }) => event.state.n));
    };
    const one = await start(handle, { ackWaitMs: 1_500 });
    await started.promise;
    const stopped = one.stop();
    released.resolve();
    await stopped;
    assert.ok(seen.length > 0 && seen.length < 400, String(seen.length));
    await start(handle, { ackWaitMs: 1_500 });
    await settled(400);
    assert.deepEqual(new Set(seen), new Set(upTo(400)));
  });

  // If stopping waited until the pull request expires, it would take longer than this test may.
  it('stops without waiting when it is idle', { timeout: 60_000 }, async () => {
    for (let time = 1; time <= 13; time += 1) await (await start(() => assert.fail('nothing is there'))).stop();
  });

  it('stops retrying when it stops, and the batch is redelivered after its ack wait', async () => {
    await appendCounts(admin, subject, [1, 10]);
    const one = await start(() => Promise.reject(new Error('down')), { ackWaitMs: 1_500 });
    await eventually(() => assert.ok(next.length >= 4));
    const { length } = next;
    await one.stop();
    assert.equal(next.length, length);
    const seen: number[] = [];
    await start(async (messages) => void seen.push(...messages.map(({ event }) => event.state.n)), {
      ackWaitMs: 1_500,
    });
    await settled(10);
    assert.deepEqual(new Set(seen), new Set(upTo(10)));
  });

  it('takes over from a lost process after its ack wait', async () => {
    await appendCounts(admin, subject, [1, 50]);
    const lost = await nats.connect('catalog');
    let started = false;
    const never = {
      stream,
      durable,
      state: counterState,
      batchMax: 100,
      ackWaitMs: 1_000,
      onFailure: () => undefined,
    } as const;
    await consumeBatches(lost, { ...never, handle: () => new Promise<void>(() => (started = true)) });
    await eventually(() => assert.ok(started));
    await crash(lost);
    const seen: number[] = [];
    await start(async (messages) => void seen.push(...messages.map(({ event }) => event.state.n)), {
      ackWaitMs: 1_000,
    });
    await settled(50);
    assert.deepEqual(new Set(seen), new Set(upTo(50)));
  });

  it('continues after the server was lost', async () => {
    const seen = new Set<number>();
    await start(async (messages) => messages.forEach(({ event }) => seen.add(event.state.n)));
    await appendCounts(admin, subject, [1, 200]);
    await nats.server.restart();
    await eventually(async () => assert.ok(await admin.streams.rtt()));
    await appendCounts(admin, subject, [201, 300]);
    await eventually(() => assert.equal(seen.size, 300));
    await settled(300);
  });
});
