import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { toJsonArray, toJsonLines } from './row-separators.js';

const rows = [{ ts: 1.5, title: 'a, [b]' }, { ts: 2 }, { ts: 3, title: 'é' }];
const texts = rows.map((row) => `${JSON.stringify(row)},`);
const textLengths = texts.map((text) => Buffer.byteLength(text));

describe('rows with separators', () => {
  it('become a JSON array, after one byte that is free for its bracket', () => {
    const array = toJsonArray({ bytes: Buffer.from(` ${texts.join('')}`), textLengths });
    assert.equal(array.toString(), JSON.stringify(rows));
    assert.equal(toJsonArray({ bytes: Buffer.from(' '), textLengths: [] }).toString(), '[]');
  });

  it('become JSON lines', () => {
    const lines = toJsonLines({ bytes: Buffer.from(texts.join('')), textLengths });
    assert.equal(lines.toString(), rows.map((row) => `${JSON.stringify(row)}\n`).join(''));
    assert.equal(toJsonLines({ bytes: Buffer.from(''), textLengths: [] }).toString(), '');
  });
});
