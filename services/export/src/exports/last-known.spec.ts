import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { lastKnown } from './last-known.js';

const never = new Promise<number>(() => undefined);

/** Answers with these one after the other, then never. */
const loader = (...answers: Promise<number>[]) => {
  let n = -1;
  return () => answers[(n += 1)] ?? never;
};

describe('the last known value of a leader', () => {
  const failed = Promise.reject(new Error('no leader'));
  failed.catch(() => undefined);

  it('is that of the leader, or else the last one, as long as it is not too old', async () => {
    const known = lastKnown(loader(Promise.resolve(1), Promise.resolve(2), failed), 60_000);
    assert.deepEqual([await known.read(), await known.current()], [1, 2]);
    assert.deepEqual([await known.current(), await known.current()], [2, 2]);
    await known.stop();
  });

  it('is not told when it is too old, or when there was none', async () => {
    const old = lastKnown(loader(Promise.resolve(1), failed), 0);
    assert.equal(await old.read(), 1);
    await assert.rejects(old.current(), /no leader/);
    const none = lastKnown(loader(failed), 60_000);
    await assert.rejects(none.current(), /no leader/);
    await Promise.all([old.stop(), none.stop()]);
  });

  it('waits less for a leader that was silent, until it answers again', async (test) => {
    test.mock.timers.enable({ apis: ['setTimeout'] });
    const known = lastKnown(loader(Promise.resolve(1), never, never, Promise.resolve(2), never), 60_000);
    assert.equal(await known.read(), 1);
    const currentAfter = async (ms: number): Promise<number> => {
      const current = known.current();
      test.mock.timers.tick(ms);
      return current;
    };
    assert.deepEqual([await currentAfter(200), await currentAfter(30)], [1, 1]);
    assert.equal(await known.current(), 2);
    let hasResolved = false;
    const current = currentAfter(30).finally(() => (hasResolved = true));
    await new Promise(setImmediate);
    assert.equal(hasResolved, false, 'the usual wait again');
    test.mock.timers.tick(200);
    assert.equal(await current, 2);
    test.mock.timers.reset();
    await known.stop();
  });
});
