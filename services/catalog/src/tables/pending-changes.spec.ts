import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pendingChanges } from './pending-changes.js';

const nothing = { all: false, series: new Set<string>(), events: false };

describe('pending changes', () => {
  it('are reported once when they are readable', () => {
    const changes = pendingChanges();
    changes.add({ series: 'A' }, 5);
    changes.add('event', 6);
    changes.add({ series: '' }, 7);
    assert.equal(changes.readableUpTo([4]), undefined);
    assert.deepEqual(changes.readableUpTo([6]), { ...nothing, series: new Set(['A']), events: true });
    assert.equal(changes.readableUpTo([6]), undefined);
    assert.deepEqual([changes.isEmpty, changes.readableUpTo([9])], [false, { ...nothing, series: new Set(['']) }]);
    assert.equal(changes.isEmpty, true);
  });

  it('of an entity that changes all the time are reported all the time', () => {
    const changes = pendingChanges();
    for (let seq = 1; seq <= 100; seq += 1) changes.add({ series: 'A' }, seq);
    assert.deepEqual(changes.readableUpTo([50])?.series, new Set(['A']));
    for (let seq = 101; seq <= 200; seq += 1) changes.add({ series: 'A' }, seq);
    assert.deepEqual(changes.readableUpTo([150])?.series, new Set(['A']));
    assert.deepEqual(changes.readableUpTo([200])?.series, new Set(['A']));
    assert.equal(changes.isEmpty, true);
  });

  it('report changed names as any change, and changes from before the start as a change of everything', () => {
    const changes = pendingChanges();
    changes.add('names', 1);
    changes.add('anything', 2);
    assert.deepEqual(changes.readableUpTo([1]), nothing);
    assert.deepEqual(changes.readableUpTo([2]), { ...nothing, all: true });
  });
});
