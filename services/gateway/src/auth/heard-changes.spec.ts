import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heardChanges } from './heard-changes.js';

describe('changes of keys', () => {
  const start = (seq: number) => {
    const following = { seq };
    const changed: string[] = [];
    return { following, changed, heard: heardChanges(following, (account) => changed.push(account)) };
  };

  it('are heard once, in any order, and have no gap up to the position', () => {
    const { changed, heard } = start(10);
    heard.hear([[12, 'b']]);
    assert.deepEqual(heard.position, [10], 'the eleventh is missing');
    heard.hear([
      [11, 'a'],
      [12, 'b'],
    ]);
    assert.deepEqual([heard.position, changed], [[12], ['b', 'a']]);
  });

  it('may come from the follower', () => {
    const { following, changed, heard } = start(10);
    heard.hear([
      [12, 'b'],
      [14, 'd'],
    ]);
    following.seq = 11;
    assert.deepEqual(heard.position, [12]);
    following.seq = 13;
    assert.deepEqual(heard.position, [14]);
    heard.hear([[13, 'c']]);
    assert.deepEqual([heard.position, changed], [[14], ['b', 'd']]);
  });

  it('that the follower already had change nothing', () => {
    const { changed, heard } = start(10);
    heard.hear([[9, 'a']]);
    assert.deepEqual([heard.position, changed], [[10], []]);
  });
});
