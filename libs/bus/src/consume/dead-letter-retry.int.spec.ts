import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import type { AdminBus, Running } from '../bus.js';
import { ensureDeadLetters, ensureStream } from '../streams/streams.js';
import { consume } from './consume.js';
import { consumeBatches } from './consume-batches.js';
import { deadLetterStream, durables, subjects } from '../names.js';
import { retryDeadLetter } from './dead-letter-retry.js';
import { appendCounts, counterState, startTestBus, type TestBus } from '../testing/test-bus.js';

const stream = 'EVT_EXPORT';
const options = { stream, state: counterState, deliveriesMax: 1, onFailure: () => undefined } as const;

describe('a dead-letter retry', () => {
  let nats: TestBus;
  let admin: AdminBus;
  let operator: AdminBus;
  const running: Running[] = [];
  before(async () => {
    nats = await startTestBus();
    admin = await nats.connect('admin');
    operator = await nats.connect('operator');
    await ensureStream(admin, stream);
    await ensureDeadLetters(admin);
  });
  after(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await nats.stop();
  });

  it('is handled by one process of the service when the operator requests it, and reports why it fails', async () => {
    const durable = durables.commerceExports;
    assert.deepEqual(await retryDeadLetter(operator, { durable, seq: 1 }), {
      done: false,
      why: `no process of ${durable} runs`,
    });
    let broken = true;
    const handled: string[] = [];
    for (const name of ['one', 'two']) {
      const handle = async ({ event }: { event: { state: { n: number } } }): Promise<void> => {
        if (broken) throw new Error('the store says no');
        handled.push(`${name} ${event.state.n}`);
      };
      running.push(await consume(await nats.connect('commerce'), { ...options, durable, concurrency: 1, handle }));
    }
    await appendCounts(admin, subjects.export('a', '1'), [1, 2]);
    await eventually(async () => assert.equal((await admin.jsm.streams.info(deadLetterStream)).state.messages, 2));
    assert.deepEqual(await retryDeadLetter(operator, { durable, seq: 2 }), { done: false, why: 'the store says no' });
    broken = false;
    assert.deepEqual(await retryDeadLetter(operator, { durable, seq: 2 }), { done: true });
    assert.equal(handled.length, 1);
    assert.match(handled[0] ?? '', /^(one|two) 2$/);
    const missing = await retryDeadLetter(operator, { durable, seq: 99 });
    assert.equal(missing.done, false);
  });

  it('is handled by one process of a service that works in batches', async () => {
    const durable = durables.exportList;
    const seen: number[] = [];
    const handle = async (messages: readonly { seq: number }[]): Promise<void> =>
      void seen.push(...messages.map(({ seq }) => seq));
    running.push(await consumeBatches(await nats.connect('export'), { ...options, durable, batchMax: 10, handle }));
    await eventually(() => assert.deepEqual(seen, [1, 2]));
    assert.deepEqual(await retryDeadLetter(operator, { durable, seq: 1 }), { done: true });
    assert.deepEqual(seen, [1, 2, 1]);
  });
});
