import assert from 'node:assert/strict';
import { test } from 'node:test';
import { recentStates } from './recent-states.js';

const at = (seq: number) => ({ state: { ticker: 'A', version: seq, min_us: null, max_us: null }, seq });

test('the newest state of a subject is known, in any order of its events', () => {
  const recent = recentStates();
  recent.put('a', at(2));
  recent.put('a', at(1));
  assert.deepEqual(recent.get('a'), at(2));
  assert.equal(recent.get('b'), undefined);
});

test('the subject that changed longest ago is forgotten first', () => {
  const recent = recentStates(2);
  for (const [index, subject] of ['a', 'b', 'a', 'c'].entries()) recent.put(subject, at(index + 1));
  assert.deepEqual([recent.get('a'), recent.get('b'), recent.get('c')], [at(3), undefined, at(4)]);
});
