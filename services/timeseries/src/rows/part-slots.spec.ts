import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { setImmediate as turn } from 'node:timers/promises';
import { backgroundCaller } from '@almanac/runtime';
import { partSlots } from './part-slots.js';

const callerOf = (account: string) => ({ ...backgroundCaller(30_000), account, remainingMs: 30_000 });

describe('the slots of bulk reads', () => {
  it('are free for another account while a hundred slow readers wait for theirs', async () => {
    const slots = partSlots(4);
    const releases: (() => void)[] = [];
    const waiting = Array.from({ length: 100 }, async (_, at) =>
      releases.push(await slots.acquireSlow(callerOf(`slow-${at}`))),
    );
    await turn();
    assert.equal(releases.length, 1);
    assert.equal(slots.waiting, 0);
    for (let at = 0; at < 3; at += 1) await slots.acquire(callerOf('other'));
    assert.throws(() => slots.acquireNow());
    for (let done = 0; done < 100; done += 1) {
      releases[done]?.();
      await turn();
    }
    await Promise.all(waiting);
    slots.acquireNow();
  });
});
