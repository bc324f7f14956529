import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { readSlots } from './read-slots.js';

const gate = () => Promise.withResolvers<void>();
const longTimeout = new AbortController().signal;

describe('the reads of a process', () => {
  it('run within a limit, in the order they came, and a failed one frees its slot', async () => {
    const slots = readSlots(2);
    const gates = Array.from({ length: 5 }, gate);
    const started: number[] = [];
    const reads = gates.map(({ promise }, index) =>
      slots.run(longTimeout, async () => {
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
    const slots = readSlots(1);
    const held = gate();
    const first = slots.run(longTimeout, () => held.promise);
    const shortDeadline = new AbortController();
    const second = slots.run(shortDeadline.signal, () => assert.fail('it had no slot'));
    const third = slots.run(longTimeout, () => Promise.resolve('read'));
    shortDeadline.abort();
    await assert.rejects(second, (error) => error instanceof DomainError && error.code === 'unavailable');
    held.resolve();
    await first;
    assert.equal(await third, 'read');
    assert.equal(await slots.run(longTimeout, () => Promise.resolve('free again')), 'free again');
  });
});
