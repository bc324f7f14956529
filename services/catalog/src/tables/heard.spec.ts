import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { heardChanges } from './heard.js';

const nothing = { all: false, series: new Set<string>(), events: false };

describe('changes that were heard', () => {
  it('are told once they can be queried, each once', () => {
    const heard = heardChanges();
    heard.hear({ series: 'A' }, 5);
    heard.hear('event', 6);
    heard.hear({ series: '' }, 7);
    assert.equal(heard.readableUpTo(4), undefined);
    assert.deepEqual(heard.readableUpTo(6), { ...nothing, series: new Set(['A']), events: true });
    assert.equal(heard.readableUpTo(6), undefined);
    assert.deepEqual([heard.isEmpty, heard.readableUpTo(9)], [false, { ...nothing, series: new Set(['']) }]);
    assert.equal(heard.isEmpty, true);
  });

  it('of a thing that changes all the time are told of all the time', () => {
    const heard = heardChanges();
    for (let seq = 1; seq <= 100; seq += 1) heard.hear({ series: 'A' }, seq);
    assert.deepEqual(heard.readableUpTo(50)?.series, new Set(['A']));
    for (let seq = 101; seq <= 200; seq += 1) heard.hear({ series: 'A' }, seq);
    assert.deepEqual(heard.readableUpTo(150)?.series, new Set(['A']));
    assert.deepEqual(heard.readableUpTo(200)?.series, new Set(['A']));
    assert.equal(heard.isEmpty, true);
  });

  it('of names tell that something is different, and what was under way at the start that anything may be', () => {
    const heard = heardChanges();
    heard.hear('names', 1);
    heard.hear('anything', 2);
    assert.deepEqual(heard.readableUpTo(1), nothing);
    assert.deepEqual(heard.readableUpTo(2), { ...nothing, all: true });
  });
});
