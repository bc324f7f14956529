import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError } from '@almanac/contracts';
import { accountSlots, backgroundCaller } from '@almanac/runtime';
import { heldStreams, slowAfterMs } from './stream-places.js';

const isUnavailable = (error: unknown): boolean => error instanceof DomainError && error.code === 'unavailable';

describe('streams that hold their query', () => {
  it('leave half of the slots free, and the slowest one gives way when a place is needed', async (t) => {
    let nowMs = 0;
    t.mock.method(performance, 'now', () => nowMs);
    const slots = accountSlots({ atOnce: 4 });
    const streams = heldStreams(slots, 4);
    const ended: string[] = [];
    const caller = { ...backgroundCaller(30_000), remainingMs: 30_000 };
    // Its reader takes nothing more, so only its end at last calls `leave`.
    const enter = (name: string) => streams.enter(caller, () => ended.push(name));
    const quick = await enter('quick');
    const slow = await enter('slow');
    await assert.rejects(enter('early'), isUnavailable);
    slots.acquireNow()();
    nowMs = slowAfterMs + 1;
    for (let chunk = 0; chunk < 3; chunk += 1) quick.taken();
    await enter('third');
    assert.deepEqual(ended, ['slow']);
    const free = [slots.acquireNow(), slots.acquireNow()];
    assert.throws(() => slots.acquireNow(), isUnavailable);
    for (const release of free) release();
    slow.leave();
    await assert.rejects(enter('fourth'), isUnavailable);
    quick.leave();
    quick.leave();
    await enter('fifth');
    assert.deepEqual(ended, ['slow']);
  });
});
