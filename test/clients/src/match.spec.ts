import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { differences } from './match.js';

describe('an expected shape', () => {
  it('fits values of its types, and objects with more fields', () => {
    const shape = { id: '~text', price: '~number?', rows: [{ ts: '~number' }], none: '~empty', kind: 'a' };
    const value = { id: 'x', price: null, rows: [{ ts: 1, more: 2 }, { ts: 2 }], none: [], kind: 'a', more: 1 };
    assert.deepEqual(differences(value, shape), []);
  });

  it('names every place that does not fit', () => {
    const shape = { id: '~text', rows: [{ ts: '~number' }], pair: [1, 2], kind: 'a' };
    assert.deepEqual(differences({ id: 3, rows: [], pair: [1], kind: 'b' }, shape), [
      'the result.id is 3, not text',
      'the result.rows is an empty list',
      'the result.pair has 1 items, not 2',
      "the result.kind is 'b', not 'a'",
    ]);
    assert.deepEqual(differences([{ ts: 1 }, { ts: null }], [{ ts: '~number' }]), [
      'the result[1].ts is null, not number',
    ]);
    assert.deepEqual(differences(undefined, { a: 1 }), ['the result is undefined, not an object']);
  });

  it('must have known types', () => {
    assert.throws(() => differences(1, '~nummer'), /unknown type/);
  });
});
