import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { byPosition, byText } from './position.js';

describe('the order of a listing', () => {
  it('is that of UTF-8 bytes, as ClickHouse sorts', () => {
    const texts = [
      '',
      'A',
      'AB',
      'B',
      'a',
      'é',
      '東',
      '\ufb01',
      '💥',
      '💥a',
      '😀',
      'T9',
      'T10',
      '\u{10ffff}',
      '\uffff',
    ];
    const byBytes = texts.toSorted((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b)));
    assert.deepEqual(texts.toSorted(byText), byBytes);
    assert.deepEqual(texts.toReversed().toSorted(byText), byBytes);
  });

  it('has the latest close first, and equal ones by id', () => {
    const listed = [
      { key: Number.MAX_SAFE_INTEGER, id: 'z' },
      { key: 5, id: 'A' },
      { key: 5, id: 'b' },
      { key: -1, id: 'a' },
    ];
    assert.deepEqual(listed.toReversed().toSorted(byPosition), listed);
  });
});
