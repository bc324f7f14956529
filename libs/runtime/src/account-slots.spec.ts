import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import type { ReadCaller } from './account-queue.js';
import { accountSlots } from './account-slots.js';

const gate = () => Promise.withResolvers<void>();
const callerOf = (account: string, more: Partial<ReadCaller> = {}): ReadCaller => ({
  account,
  signal: new AbortController().signal,
  remainingMs: 15_000,
  ...more,
});
const isUnavailable = (error: unknown): boolean => error instanceof DomainError && error.code === 'unavailable';

/** Reads that end when the test ends them. `started` has their names in order. */
const heldReads = (slots: ReturnType<typeof accountSlots>) => {
  const started: string[] = [];
  const gates = new Map<string, ReturnType<typeof gate>>();
  return {
    started,
    read: (name: string, caller: ReadCaller): Promise<void> => {
      const held = gate();
      gates.set(name, held);
      return slots.run(caller, () => {
        started.push(name);
        return held.promise;
      });
    },
    /** Ends a read, and waits until the next ones have started. */
    end: async (name: string): Promise<void> => {
      gates.get(name)?.resolve();
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
};

describe('the reads of a process', () => {
  it('run within a limit, in the order they came, and a failed one frees its slot', async () => {
    const slots = accountSlots({ atOnce: 2 });
    const gates = Array.from({ length: 5 }, gate);
    const started: number[] = [];
    const reads = gates.map(({ promise }, index) =>
      slots.run(callerOf('a'), async () => {
        started.push(index);
        await promise;
      }),
    );
    assert.deepEqual(started, [0, 1]);
    gates[1]?.reject(new Error('broken'));
    await assert.rejects(reads[1] ?? Promise.resolve(), /broken/);
    gates[0]?.resolve();
    await reads[0];
    assert.deepEqual(started, [0, 1, 2, 3]);
    for (const { resolve } of gates) resolve();
    await Promise.allSettled(reads);
    assert.deepEqual(started, [0, 1, 2, 3, 4]);
  });

  it('wait no longer than their deadline, and the others keep their place', async () => {
    const slots = accountSlots({ atOnce: 1 });
    const held = gate();
    const first = slots.run(callerOf('a'), () => held.promise);
    const shortDeadline = new AbortController();
    const second = slots.run(callerOf('a', { signal: shortDeadline.signal }), () => assert.fail('it had no slot'));
    const third = slots.run(callerOf('a'), () => Promise.resolve('read'));
    shortDeadline.abort();
    await assert.rejects(second, isUnavailable);
    held.resolve();
    await first;
    assert.equal(await third, 'read');
    assert.equal(await slots.run(callerOf('a'), () => Promise.resolve('free again')), 'free again');
    assert.equal(slots.waiting, 0);
  });

  it('of two accounts take turns, whoever came first with more', async () => {
    const { started, read, end } = heldReads(accountSlots({ atOnce: 1 }));
    for (const name of ['a1', 'a2', 'a3', 'a4']) void read(name, callerOf('a'));
    for (const name of ['b1', 'b2']) void read(name, callerOf('b'));
    for (const name of ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']) await end(name);
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3', 'b2', 'a4']);
  });

  it('of one account leave slots free for another', async () => {
    const { started, read, end } = heldReads(accountSlots({ atOnce: 4, accountAtOnce: 2 }));
    for (const name of ['a1', 'a2', 'a3']) void read(name, callerOf('a'));
    void read('b1', callerOf('b'));
    assert.deepEqual(started, ['a1', 'a2', 'b1']);
    await end('a1');
    assert.deepEqual(started, ['a1', 'a2', 'b1'], 'one read beside another account');
    await end('a2');
    assert.deepEqual(started, ['a1', 'a2', 'b1', 'a3']);
  });

  it('are refused beyond the limit of waiting reads, by account and in total', async () => {
    const reasons: string[] = [];
    const slots = accountSlots({ atOnce: 1, waitingMax: 8, onRefused: (reason) => reasons.push(reason) });
    const { read } = heldReads(slots);
    void read('first', callerOf('a'));
    for (const account of ['a', 'b', 'c', 'd']) {
      for (const name of ['1', '2']) void read(`${account}${name}`, callerOf(account));
      await assert.rejects(read(`${account}3`, callerOf(account)), isUnavailable);
    }
    await assert.rejects(read('e1', callerOf('e')), isUnavailable);
    assert.deepEqual(reasons, ['full', 'full', 'full', 'full', 'full']);
    assert.equal(slots.waiting, 8);
  });

  it('are refused at once if they would end after their deadline', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const reasons: string[] = [];
    const slots = accountSlots({ atOnce: 1, onRefused: (reason) => reasons.push(reason) });
    await slots.run(callerOf('a'), async () => void (nowMs += 4_000));
    const { started, read, end } = heldReads(slots);
    void read('running', callerOf('a'));
    void read('waiting', callerOf('a'));
    await assert.rejects(
      read('late', callerOf('a', { remainingMs: 7_000 })),
      (error) => error instanceof DomainError && error.reply.more?.['retry_after_s'] === 4,
    );
    assert.deepEqual(reasons, ['late']);
    void read('in time', callerOf('a', { remainingMs: 9_000 }));
    await end('running');
    await end('waiting');
    assert.deepEqual(started, ['running', 'waiting', 'in time']);
  });

  it('are not refused because of long work in the background', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const slots = accountSlots({ atOnce: 1 });
    await slots.run(callerOf('a'), async () => void (nowMs += 100));
    await slots.run({ ...callerOf('a'), account: undefined }, async () => void (nowMs += 60_000));
    const { started, read, end } = heldReads(slots);
    void read('running', callerOf('a'));
    void read('waiting', callerOf('a', { remainingMs: 1_000 }));
    await end('running');
    assert.deepEqual(started, ['running', 'waiting']);
  });
});
