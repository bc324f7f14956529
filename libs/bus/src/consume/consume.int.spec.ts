import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { eventually } from '@almanac/testing';
import type { AdminBus, Running } from '../bus.js';
import { consume, type ConsumeOptions, NonRetryableError } from './consume.js';
import { acknowledgedUpTo } from '../streams/jetstream-reads.js';
import { deadLetterStream, durables, subjects } from '../names.js';
import { appendCounts, counterEvent, counterState, startTestBus, crash, emptyStreams } from '../testing/test-bus.js';
import type { CounterState, TestBus } from '../testing/test-bus.js';
import { ensureDeadLetters } from '../streams/streams.js';

const [stream, durable] = ['EVT_EXPORT', durables.commerceExports] as const;

describe('a consumer', () => {
  let nats: TestBus;
  let admin: AdminBus;
  let bus: AdminBus;
  let failures: { message: string; seq: number; next: string }[];
  const running: Running[] = [];

  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    bus = await nats.connect('commerce');
    await ensureDeadLetters(admin);
  });
  const stopAll = () => Promise.all(running.splice(0).map((one) => one.stop()));
  beforeEach(async () => {
    await stopAll();
    failures = [];
    await emptyStreams(admin, stream);
  });
  after(() => stopAll().then(() => nats.stop()));

  type Changes = Partial<ConsumeOptions<CounterState>> & Pick<ConsumeOptions<CounterState>, 'handle'>;
  const start = async (changes: Changes, on = bus): Promise<Running> => {
    const one = await consume(on, {
      stream,
      durable,
      state: counterState,
      concurrency: 1,
      onFailure: (error, { seq }, next) => failures.push({ message: String(error), seq, next }),
      ...changes,
    });
    running.push(one);
    return one;
  };
  const subject = subjects.export('a', '1');
  const deadLetters = async () => (await admin.jsm.streams.info(deadLetterStream)).state.messages;
  const settled = () =>
    eventually(async () =>
      assert.equal(await acknowledgedUpTo(bus, stream, durable), (await admin.jsm.streams.info(stream)).state.last_seq),
    );

  it('handles every event once, in order with one at a time, and acknowledges after the effect', async () => {
    const seen: number[] = [];
    await appendCounts(admin, subject, [1, 200]);
    let floor = -1;
    await start({
      handle: async ({ event }) => {
        if (event.state.n === 100) floor = await acknowledgedUpTo(bus, stream, durable);
        seen.push(event.state.n);
      },
    });
    await settled();
    assert.deepEqual(
      seen,
      Array.from({ length: 200 }, (_, n) => n + 1),
    );
    assert.ok(floor <= 99, `${floor} was acknowledged while 100 was at work`);
    assert.deepEqual(failures, []);
  });

  it('handles at most the configured number of events at the same time', async () => {
    await appendCounts(admin, subject, [1, 60]);
    let inFlight = 0;
    let most = 0;
    await start({
      concurrency: 4,
      handle: async () => {
        inFlight += 1;
        most = Math.max(most, inFlight);
        await delay(5);
        inFlight -= 1;
      },
    });
    await settled();
    assert.equal(most, 4);
  });

  it('leaves events beyond its concurrency to others, however long its own take', async () => {
    await appendCounts(admin, subject, [1, 3]);
    const counts: string[] = [];
    await start({
      ackWaitMs: 4_000,
      handle: async ({ event }, { working, count }) => {
        counts.push(`${event.state.n}:${count}`);
        if (event.state.n !== 1) return;
        for (let tick = 0; tick < 10; tick += 1) {
          await delay(500);
          working();
        }
      },
    });
    await eventually(() => assert.equal(counts.length, 3));
    assert.deepEqual(counts, ['1:1', '2:1', '3:1']);
  });

  it('retries failed events with growing delays while others continue', async () => {
    await appendCounts(admin, subject, [1, 2]);
    const at: number[] = [];
    let otherDone = false;
    await start({
      handle: async ({ event }, { count }) => {
        if (event.state.n === 2) {
          otherDone = true;
          return;
        }
        at.push(performance.now());
        // Fails until the other event was handled. Otherwise it would end as a dead letter.
        if (count < 4 || !otherDone) throw new Error(`no ${count}`);
      },
    });
    await settled();
    const [first = 0, second = 0, third = 0, fourth = 0] = at;
    assert.ok(second - first >= 125 && third - second >= 250 && fourth - third >= 500, at.join(' '));
    assert.deepEqual(
      failures.map(({ next }) => next),
      at.slice(1).map(() => 'retry'),
    );
    assert.equal(await deadLetters(), 0);
  });

  it('moves an event to the dead letters at once after a non-retryable error', async () => {
    await appendCounts(admin, subject, [1, 1]);
    await start({ handle: () => Promise.reject(new NonRetryableError(new Error('never'))) });
    await settled();
    assert.deepEqual(failures, [{ message: 'NoUseError: never', seq: 1, next: 'dead' }]);
    assert.equal(await deadLetters(), 1);
  });

  it('moves an event with its reason to the dead letters after the last failure, and calls onExhausted first', async () => {
    await appendCounts(admin, subject, [1, 1]);
    const exhausted: number[] = [];
    await start({
      deliveriesMax: 2,
      handle: () => Promise.reject(new Error('größer\r\nX: y')),
      onExhausted: async ({ seq }) => void exhausted.push(seq),
    });
    await settled();
    const letter = await admin.jsm.streams.getMessage(deadLetterStream, { last_by_subj: subjects.dead(durable) });
    assert.equal(letter?.header.get('Almanac-Subject'), subject);
    assert.equal(letter?.header.get('Almanac-Reason'), 'gr  er  X: y');
    assert.deepEqual(letter?.json(), counterEvent(1));
    assert.deepEqual(exhausted, [1]);
    assert.deepEqual(
      failures.map(({ next }) => next),
      ['retry', 'dead'],
    );
  });

  it('moves a message that is no event to the dead letters at once, and continues', async () => {
    for (const text of ['no json', '{}', JSON.stringify({ ...counterEvent(1), state: { n: 'x' } }), '']) {
      await admin.js.publish(subject, text);
    }
    await appendCounts(admin, subject, [5, 5]);
    const seen: number[] = [];
    await start({ handle: async ({ event }) => void seen.push(event.state.n) });
    await settled();
    assert.deepEqual(seen, [5]);
    assert.deepEqual(
      failures.map(({ next }) => next),
      ['dead', 'dead', 'dead', 'dead'],
    );
    assert.equal(await deadLetters(), 4);
  });

  it('moves an event that kills its process each time to the dead letters', async () => {
    await appendCounts(admin, subject, [1, 1]);
    for (let life = 1; life <= 2; life += 1) {
      const crashing = await nats.connect('commerce');
      let started = false;
      await consume(crashing, {
        stream,
        durable,
        state: counterState,
        concurrency: 1,
        ackWaitMs: 1_000,
        deliveriesMax: 2,
        onFailure: () => undefined,
        handle: () => new Promise<void>(() => (started = true)),
      });
      await eventually(() => assert.ok(started));
      await crash(crashing);
    }
    let handled = 0;
    await start({ ackWaitMs: 1_000, deliveriesMax: 2, handle: async () => void (handled += 1) });
    await settled();
    assert.equal(handled, 0);
    assert.equal(await deadLetters(), 1);
  });

  it('finishes events in progress when it stops, and leaves the rest to another', async () => {
    await appendCounts(admin, subject, [1, 20]);
    const seen: number[] = [];
    const started: number[] = [];
    const released = Promise.withResolvers<void>();
    // An event that waited for its ack wait would arrive long after this test has failed.
    const workers = { concurrency: 2, ackWaitMs: 600_000 };
    const one = await start({
      ...workers,
      handle: async ({ event }) => {
        started.push(event.state.n);
        await released.promise;
        seen.push(event.state.n);
      },
    });
    await eventually(() => assert.equal(started.length, 2));
    const stopped = one.stop();
    released.resolve();
    await stopped;
    assert.deepEqual(seen, [1, 2]);
    await start({ ...workers, handle: async ({ event }) => void seen.push(event.state.n) });
    await settled();
    assert.deepEqual(
      seen.toSorted((a, b) => a - b),
      Array.from({ length: 20 }, (_, n) => n + 1),
    );
  });

  // If stopping waited until the pull request expires, it would take longer than this test may.
  it('stops without waiting when it is idle', { timeout: 60_000 }, async () => {
    for (let time = 1; time <= 13; time += 1)
      await (await start({ handle: () => assert.fail('nothing is there') })).stop();
  });

  it('takes over the events of a lost process after their ack wait', async () => {
    await appendCounts(admin, subject, [1, 3]);
    const lost = await nats.connect('commerce');
    let started = false;
    const never = {
      stream,
      durable,
      state: counterState,
      concurrency: 1,
      ackWaitMs: 1_000,
      onFailure: () => undefined,
    } as const;
    await consume(lost, { ...never, handle: () => new Promise<void>(() => (started = true)) });
    await eventually(() => assert.ok(started));
    const seen: string[] = [];
    await start({
      ackWaitMs: 1_000,
      handle: async ({ event }, { count }) => void seen.push(`${event.state.n}:${count}`),
    });
    await crash(lost);
    await eventually(() => assert.deepEqual(seen.toSorted(), ['1:2', '2:1', '3:1']));
  });

  it('continues after the server was lost', async () => {
    const seen = new Set<number>();
    await start({ handle: async ({ event }) => void seen.add(event.state.n) });
    await appendCounts(admin, subject, [1, 5]);
    await eventually(() => assert.equal(seen.size, 5));
    await nats.server.restart();
    await eventually(async () => assert.ok(await admin.streams.rtt()));
    await appendCounts(admin, subject, [6, 10]);
    await eventually(() => assert.equal(seen.size, 10));
  });

  it('reports how far it has acknowledged, with gaps and with a filter', async () => {
    const upTo = () => acknowledgedUpTo(bus, stream, durable);
    await appendCounts(admin, subject, [1, 3]);
    let release: () => void = () => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    const seen: number[] = [];
    await start({
      filter: 'evt.export.a.*',
      concurrency: 3,
      handle: async ({ event, seq }) => {
        if (event.state.n === 2) await held;
        seen.push(seq);
      },
    });
    await eventually(() => assert.deepEqual(new Set(seen), new Set([1, 3])));
    await eventually(async () => assert.equal(await upTo(), 1));
    release();
    await eventually(async () => assert.equal(await upTo(), 3));
    await appendCounts(admin, subjects.export('b', '1'), [4, 6]);
    assert.equal(await upTo(), 6, 'what the filter leaves out does not hold it up');
  });
});
