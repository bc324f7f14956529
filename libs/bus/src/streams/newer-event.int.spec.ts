import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { eventFormats, eventTypesOf } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import type { AdminBus, Running } from '../bus.js';
import { consumeBatches } from '../consume/consume-batches.js';
import { consume } from '../consume/consume.js';
import type { DurableOptions } from '../consume/durable-consumer.js';
import { follow } from '../consume/follow.js';
import { acknowledgedUpTo } from './jetstream-reads.js';
import { lastEvent } from './last-event.js';
import { deadLetterStream, durables, subjects } from '../names.js';
import { NewerEventError } from './newer-event.js';
import { startTestBus, type TestBus, emptyStreams } from '../testing/test-bus.js';

const [stream, durable] = ['EVT_EXPORT', durables.commerceExports] as const;

/** The contract of the older release, and of the newer one with a field, a value and a type of event more. */
const older = eventTypesOf(z.object({ n: z.int(), status: z.enum(['on']) }), ['Counted']);
const newer = eventTypesOf(z.object({ n: z.int(), status: z.enum(['on', 'paused']), note: z.string().optional() }), [
  'Counted',
  'Paused',
]);
type NewerState = z.infer<typeof newer>;

const { format: knownFormat } = eventFormats.EVT_EXPORT;

const textOf = (n: number, state: Omit<NewerState, 'n'>, envelope: object = {}): string =>
  JSON.stringify({
    id: `id-${n}`,
    type: 'Counted',
    version: 1,
    time: n,
    account: null,
    data: {},
    format: knownFormat + 1,
    ...envelope,
    state: { n, ...state },
  });

describe('an event of a newer release', () => {
  let nats: TestBus;
  let admin: AdminBus;
  const running: Running[] = [];
  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
  });
  const stopAll = () => Promise.all(running.splice(0).map((one) => one.stop()));
  beforeEach(async () => {
    await stopAll();
    await emptyStreams(admin, stream);
  });
  after(() => stopAll().then(() => nats.stop()));

  const [held, other] = [subjects.export('a', 'held'), subjects.export('a', 'other')];
  const publish = async (subject: string, text: string): Promise<number> => (await admin.js.publish(subject, text)).seq;
  const deadLetters = async () => (await admin.jsm.streams.info(deadLetterStream)).state.messages;
  /** Each of these is readable for the newer release only. */
  const unreadableForOlder = [
    ['a type of event', (n: number) => textOf(n, { status: 'on' }, { type: 'Paused' })],
    ['a value', (n: number) => textOf(n, { status: 'paused' })],
  ] as const;

  it('is read with its unknown fields if its type and values are known', async () => {
    await publish(other, textOf(1, { status: 'on', note: 'new' }));
    const { message, newer: none } = await lastEvent(admin, { stream, subject: other, state: older });
    assert.deepEqual([message?.event.state.n, none], [1, undefined]);
  });

  for (const [what, text] of unreadableForOlder) {
    it(`with ${what} leaves readers at the event before it, and becomes no dead letter`, async () => {
      const unreadable: number[] = [];
      const seen: number[] = [];
      running.push(
        await follow(admin, {
          stream,
          from: 'first',
          state: older,
          onEvent: ({ event }) => void seen.push(event.state.n),
          onUnreadable: (error, { seq }) => {
            assert.ok(error instanceof NewerEventError, String(error));
            unreadable.push(seq);
          },
        }),
      );
      await publish(held, textOf(1, { status: 'on' }));
      const seqs = [await publish(held, text(2)), await publish(held, text(3))];
      for (let n = 0; n < 2; n += 1) {
        const read = await lastEvent(admin, { stream, subject: held, state: older });
        assert.equal(read.message?.event.state.n, 1);
        assert.ok(read.newer instanceof NewerEventError);
      }
      await publish(other, textOf(4, { status: 'on' }));
      await eventually(() => assert.deepEqual([seen, unreadable], [[1, 4], seqs]));
      const upgraded = await lastEvent(admin, { stream, subject: held, state: newer });
      assert.deepEqual([upgraded.message?.event.state.n, upgraded.newer], [3, undefined]);
      assert.equal(await deadLetters(), 0);
    });
  }

  it('is unavailable, not absent, if it is the first of its subject', async () => {
    await publish(held, textOf(1, { status: 'paused' }));
    await assert.rejects(
      lastEvent(admin, { stream, subject: held, state: older }),
      (error) => error instanceof NewerEventError && error.reply.more?.['retry_after_s'] === 5,
    );
  });

  it('is wrong, not newer, if its format is known or it is no event', async () => {
    await publish(held, textOf(1, { status: 'on' }));
    await publish(held, textOf(2, { status: 'paused' }, { format: knownFormat }));
    await publish(held, JSON.stringify({ format: knownFormat + 1, state: { n: 3, status: 'paused' } }));
    const { message, newer: none } = await lastEvent(admin, { stream, subject: held, state: older });
    assert.deepEqual([message?.event.state.n, none], [1, undefined]);
    await eventually(async () => assert.equal(await deadLetters(), 2));
  });

  type Handle = (states: readonly { n: number }[]) => void;
  const consumers: Record<
    string,
    (bus: AdminBus, state: z.ZodType<{ n: number }>, handle: Handle) => Promise<Running>
  > = {
    'one by one': (bus, state, handle) =>
      consume(bus, { ...options(state), concurrency: 2, handle: async ({ event }) => handle([event.state]) }),
    'in batches': (bus, state, handle) =>
      consumeBatches(bus, {
        ...options(state),
        batchMax: 3,
        handle: async (messages) => handle(messages.map(({ event }) => event.state)),
      }),
  };
  const options = <State>(state: z.ZodType<State>): DurableOptions<State> => ({
    stream,
    durable,
    state,
    ackWaitMs: 1_000,
    // Three processes get it. A machine that stalls for an ack wait adds one, and without a hold each second does.
    deliveriesMax: 5,
    onFailure: () => undefined,
  });

  for (const [how, start] of Object.entries(consumers)) {
    it(`is never acknowledged ${how}, nor is a later one of its subject, until the upgrade; others are`, async () => {
      const byOlder: number[] = [];
      const byNewer: number[] = [];
      const processes = [await nats.connect('commerce'), await nats.connect('commerce')];
      for (const bus of processes)
        running.push(await start(bus, older, (states) => void byOlder.push(...states.map(({ n }) => n))));
      await publish(held, textOf(1, { status: 'on' }, { format: knownFormat }));
      const firstSeq = await publish(held, textOf(2, { status: 'on' }, { type: 'Paused' }));
      for (let n = 3; n <= 12; n += 1) await publish(n % 2 === 0 ? held : other, textOf(n, { status: 'on' }));
      await eventually(() =>
        assert.deepEqual(
          byOlder.toSorted((a, b) => a - b),
          [1, 3, 5, 7, 9, 11],
        ),
      );
      // Several ack waits of the older processes, which one of them survives.
      const stoppedAt = performance.now();
      await running.shift()?.stop();
      await eventually(async () => {
        assert.ok(performance.now() - stoppedAt > 4_000);
        assert.equal((await admin.jsm.consumers.info(stream, durable)).num_ack_pending, 6);
      });
      assert.equal(await acknowledgedUpTo(admin, stream, durable), firstSeq - 1);
      assert.equal(byOlder.length, 6);
      running.push(await start(admin, newer, (states) => void byNewer.push(...states.map(({ n }) => n))));
      await running.shift()?.stop();
      await eventually(() =>
        assert.deepEqual(
          byNewer.toSorted((a, b) => a - b),
          [2, 4, 6, 8, 10, 12],
        ),
      );
      await eventually(async () => assert.equal(await acknowledgedUpTo(admin, stream, durable), firstSeq + 10));
      assert.equal(await deadLetters(), 0);
    });
  }

  for (const [how, start] of Object.entries(consumers)) {
    it(`that the operator discards is passed over ${how}, and the later ones that it held are handled`, async () => {
      const seen: number[] = [];
      running.push(await start(admin, older, (states) => void seen.push(...states.map(({ n }) => n))));
      await publish(held, textOf(1, { status: 'on' }, { format: knownFormat }));
      const discards = await publish(held, textOf(2, { status: 'paused' }));
      await publish(held, textOf(3, { status: 'on', note: 'later' }));
      await publish(other, textOf(4, { status: 'on' }));
      await eventually(async () => {
        assert.deepEqual(seen, [1, 4]);
        assert.equal((await admin.jsm.consumers.info(stream, durable)).num_ack_pending, 2);
      });
      const last = await publish(held, textOf(3, { status: 'on', note: 'later' }, { discards }));
      await eventually(async () => assert.equal(await acknowledgedUpTo(admin, stream, durable), last));
      assert.deepEqual(
        seen.toSorted((a, b) => a - b),
        [1, 3, 3, 4],
      );
      const { message, newer: none } = await lastEvent(admin, { stream, subject: held, state: older });
      assert.deepEqual([message?.event.state.n, none], [3, undefined]);
      assert.equal(await deadLetters(), 0);
    });
  }

  it('that was discarded leaves no entity if it was the first, until another event comes', async () => {
    const discards = await publish(held, textOf(1, { status: 'paused' }));
    const last = await publish(held, JSON.stringify({ discards }));
    for (let n = 0; n < 2; n += 1) {
      const read = await lastEvent(admin, { stream, subject: held, state: older });
      assert.deepEqual(read, { message: undefined, lastSeq: last, newer: undefined, fromReplica: false });
    }
    await publish(held, textOf(2, { status: 'paused' }));
    await assert.rejects(lastEvent(admin, { stream, subject: held, state: older }), NewerEventError);
  });

  it('holds the event whose handler has to change its entity', async () => {
    let handled = 0;
    const bus = await nats.connect('commerce');
    running.push(
      await consume(bus, {
        ...options(older),
        deliveriesMax: 1,
        concurrency: 1,
        handle: async ({ subject, seq, event }) => {
          handled += 1;
          if (subject === held) throw new NewerEventError({ subject, seq, type: event.type });
        },
      }),
    );
    await publish(held, textOf(1, { status: 'on' }, { format: knownFormat }));
    const last = await publish(other, textOf(2, { status: 'on' }, { format: knownFormat }));
    await eventually(() => assert.equal(handled, 2));
    assert.equal(await acknowledgedUpTo(admin, stream, durable), 0);
    await stopAll();
    running.push(await consume(bus, { ...options(newer), concurrency: 1, handle: async () => undefined }));
    await eventually(async () => assert.equal(await acknowledgedUpTo(admin, stream, durable), last));
    assert.equal(await deadLetters(), 0);
  });
});
