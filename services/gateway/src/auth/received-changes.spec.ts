import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { receivedChanges } from './received-changes.js';

describe('changes of keys', () => {
  const start = (seq: number) => {
    const following = { seq };
    const changed: string[] = [];
    return { following, changed, received: receivedChanges(following, (account) => changed.push(account)) };
  };

  it('are received once, in any order, and have no gap up to the position', () => {
    const { changed, received } = start(10);
    received.receive([[12, 'b']]);
    assert.deepEqual(received.position, [10], 'the eleventh is missing');
    received.receive([
      [11, 'a'],
      [12, 'b'],
    ]);
    assert.deepEqual([received.position, changed], [[12], ['b', 'a']]);
  });

  it('may come from the follower', () => {
    const { following, changed, received } = start(10);
    received.receive([
      [12, 'b'],
      [14, 'd'],
    ]);
    following.seq = 11;
    assert.deepEqual(received.position, [12]);
    following.seq = 13;
    assert.deepEqual(received.position, [14]);
    received.receive([[13, 'c']]);
    assert.deepEqual([received.position, changed], [[14], ['b', 'd']]);
  });

  it('that the follower already had change nothing', () => {
    const { changed, received } = start(10);
    received.receive([[9, 'a']]);
    assert.deepEqual([received.position, changed], [[10], []]);
  });
});
