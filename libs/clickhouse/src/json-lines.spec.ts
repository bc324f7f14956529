import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseJsonLines } from './json-lines.js';

const values = [{ text: 'two\nlines, "quoted" [1]\u2028' }, ['é', null], -1.5, {}];
const lines = values.map((value) => JSON.stringify(value));

describe('JSON lines', () => {
  it('are the values between line feeds, with or without one at the end', () => {
    assert.deepEqual(parseJsonLines(Buffer.from(lines.join('\n'))), values);
    assert.deepEqual(parseJsonLines(Buffer.from(`${lines.join('\n')}\n`)), values);
  });

  it('can be none', () => {
    assert.deepEqual(parseJsonLines(Buffer.from('')), []);
  });

  it('are refused where a line is cut or empty', () => {
    assert.throws(() => parseJsonLines(Buffer.from('{"a":1}\n{"a":')), SyntaxError);
    assert.throws(() => parseJsonLines(Buffer.from('{"a":1}\n\n{"a":2}')), SyntaxError);
  });
});
