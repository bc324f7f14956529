import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@almanac/testing';
import { type Bus, ensureDeadLetters, ensureStream } from './bus.js';
import { consumeBatches, type ConsumeBatchesOptions } from './consume-batches.js';
import { acknowledgedUpTo, type Running } from './durable.js';
import { deadLetterStream, durables, subjects } from './names.js';
import { appendCounts, type CounterState, counterState, startTestBus, type TestBus } from './test-bus.js';

const stream = 'EVT_CATALOG';
const durable = durables.catalogReadModel;
const upTo = (n: number): number[] => Array.from({ length: n }, (_, index) => index + 1);

describe('a consumer of batches', () => {
  let nats: TestBus;
  let admin: Bus;
  let bus: Bus;
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
    for (const name of [stream, deadLetterStream]) await admin.jsm.streams.delete(name).catch(() => undefined);
    await ensureStream(admin, stream);
    await ensureDeadLetters(admin);
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
  const settled = (n: number) =>
    eventually(async () => assert.equal(await acknowledgedUpTo(bus, stream, durable), n), { timeoutMs: 15_000 });

  it('handles what is there in batches, in order, each event once', async () => {
    await appendCounts(admin, subject, [1, 2_050]);
    const seen: number[] = [];
    const sizes: number[] = [];
    await start(async (messages) => {
      sizes.push(messages.length);
      seen.push(...messages.map(({ event }) => event.state.n));
      await delay(1);
    });
    await settled(2_050);
    assert.deepEqual(seen, upTo(2_050));
    assert.ok(Math.max(...sizes) === 100 && sizes.length < 60, sizes.join(' '));
  });

  it('does not keep a single event waiting for others', async () => {
    let seenAt = 0;
    await start(async () => void (seenAt = performance.now()));
    const appendedAt = performance.now();
    await appendCounts(admin, subject, [1, 1]);
    await settled(1);
    assert.ok(seenAt - appendedAt < 200);
  });

  it('repeats a failed batch as a whole and passes over nothing, longer than a delivery may take', async () => {
    await appendCounts(admin, subject, [1, 150]);
    const batches: number[][] = [];
    await start(
      async (messages) => {
        batches.push(messages.map(({ event }) => event.state.n));
        if (batches.length < 5) throw new Error('not yet');
      },
      { ackWaitMs: 1_000 },
    );
    await settled(150);
    const [first = []] = batches;
    assert.deepEqual(
      batches.slice(0, 5),
      Array.from({ length: 5 }, () => first),
    );
    assert.deepEqual([...first, ...batches.slice(5).flat()], upTo(150), 'nothing came twice, or out of order');
    assert.deepEqual(next, ['retry', 'retry', 'retry', 'retry']);
  });

  it('holds what waits behind a long batch', async () => {
    await appendCounts(admin, subject, [1, 30]);
    const seen: number[] = [];
    const handle: Handle = async (messages) => {
      seen.push(...messages.map(({ event }) => event.state.n));
      await delay(1_700);
    };
    await start(handle, { ackWaitMs: 1_000, batchMax: 15 });
    await settled(30);
    assert.deepEqual(seen, upTo(30));
  });

  it('takes aside what is no event, and handles the rest of the batch', async () => {
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

  it('that stops finishes what has come, leaves the rest to others, and needs no time when idle', async () => {
    await appendCounts(admin, subject, [1, 1_000]);
    const seen: number[] = [];
    const handle: Handle = async (messages) => {
      await delay(100);
      seen.push(...messages.map(({ event }) => event.state.n));
    };
    const one = await start(handle, { ackWaitMs: 1_500 });
    await eventually(() => assert.ok(seen.length > 0));
    await one.stop();
    assert.ok(seen.length < 1_000, String(seen.length));
    const other = await start(handle, { ackWaitMs: 1_500 });
    await settled(1_000);
    assert.deepEqual(new Set(seen), new Set(upTo(1_000)));
    const stoppedAt = performance.now();
    await other.stop();
    assert.ok(performance.now() - stoppedAt < 500);
  });

  it('that stops while its effect fails ends soon, and the batch comes again when its time ran out', async () => {
    await appendCounts(admin, subject, [1, 10]);
    const one = await start(() => Promise.reject(new Error('down')), { ackWaitMs: 1_500 });
    await eventually(() => assert.ok(next.length >= 4), { timeoutMs: 10_000 });
    const stoppedAt = performance.now();
    await one.stop();
    assert.ok(performance.now() - stoppedAt < 500);
    const seen: number[] = [];
    await start(async (messages) => void seen.push(...messages.map(({ event }) => event.state.n)), {
      ackWaitMs: 1_500,
    });
    await settled(10);
    assert.deepEqual(new Set(seen), new Set(upTo(10)));
  });

  it('takes over from a lost process within the time of a delivery', async () => {
    await appendCounts(admin, subject, [1, 50]);
    const lost = await nats.connect('catalog');
    let begun = false;
    const never = {
      stream,
      durable,
      state: counterState,
      batchMax: 100,
      ackWaitMs: 1_000,
      onFailure: () => undefined,
    } as const;
    await consumeBatches(lost, { ...never, handle: () => new Promise<void>(() => (begun = true)) });
    await eventually(() => assert.ok(begun));
    await lost.nc.close();
    const seen: number[] = [];
    await start(async (messages) => void seen.push(...messages.map(({ event }) => event.state.n)), {
      ackWaitMs: 1_000,
    });
    await settled(50);
    assert.deepEqual(new Set(seen), new Set(upTo(50)));
  });

  it('goes on after the server was lost', async () => {
    const seen = new Set<number>();
    await start(async (messages) => messages.forEach(({ event }) => seen.add(event.state.n)));
    await appendCounts(admin, subject, [1, 500]);
    await nats.server.restart();
    await eventually(async () => assert.ok(await admin.nc.rtt()), { timeoutMs: 10_000 });
    await appendCounts(admin, subject, [501, 600]);
    await eventually(() => assert.equal(seen.size, 600), { timeoutMs: 20_000 });
    await settled(600);
  });
});
