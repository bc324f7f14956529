import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import { chunkBytes } from '@almanac/bus';
import { partLength } from './part-length.js';

/** A reader, and a clock that only it moves. */
const reader = (t: TestContext) => {
  let nowMs = 0;
  t.mock.method(performance, 'now', () => nowMs);
  const length = partLength();
  let bytes = 0;
  return {
    length,
    /** Takes a part of one chunk, for which it waits this long, after a pause. */
    takes: (waitMs: number, pauseMs = 0): void => {
      nowMs += pauseMs;
      length.taken(pauseMs, bytes);
      nowMs += waitMs;
      bytes += chunkBytes;
      length.whole(bytes);
    },
  };
};

describe('the parts of a reader', () => {
  it('grow while it does not pause', (t) => {
    const { length, takes } = reader(t);
    const seen = [length.chunks];
    for (let part = 0; part < 3; part += 1) {
      takes(10, 200);
      seen.push(length.chunks);
    }
    assert.deepEqual(seen, [32, 128, 256, 256]);
    assert.equal(length.isSlow, false);
  });

  it('have one chunk each after a pause, however quickly it takes what it waited for', (t) => {
    const { length, takes } = reader(t);
    takes(10, 16_000);
    for (let part = 0; part < 20; part += 1) {
      takes(17_000, 5);
      assert.deepEqual([length.isSlow, length.chunks], [true, 1]);
    }
  });

  it('grow again when it takes chunks at some speed, with the waits', (t) => {
    const { length, takes } = reader(t);
    takes(100, 300);
    assert.equal(length.isSlow, true);
    takes(1_000, 5);
    assert.deepEqual([length.isSlow, length.chunks], [false, 4]);
  });

  it('have one chunk again after the next pause', (t) => {
    const { length, takes } = reader(t);
    takes(100, 300);
    takes(100, 5);
    assert.equal(length.isSlow, false);
    takes(100, 300);
    assert.deepEqual([length.isSlow, length.chunks], [true, 1]);
  });
});
