import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentDisposition } from './content-disposition.js';

describe('contentDisposition', () => {
  it('returns a plain ASCII name unchanged', () => {
    const value = contentDisposition('KXBTC15M-26FEB242330_snapshots-settlement.csv');
    assert.equal(value, 'attachment; filename="KXBTC15M-26FEB242330_snapshots-settlement.csv"');
  });

  it('writes quotes and non-ASCII letters in the extended form, with a quoted fallback', () => {
    const value = contentDisposition(`Zürich "50%" it's (1)*.csv`);
    const extended = `UTF-8''Z%C3%BCrich%20%2250%25%22%20it%27s%20%281%29%2A.csv`;
    assert.equal(value, `attachment; filename="Z_rich _50__ it's (1)*.csv"; filename*=${extended}`);
  });

  it('can neither end the header line nor name a folder', () => {
    const value = contentDisposition('../..\\x\r\nSet-Cookie: a=b\u0000\u202egpj.exe');
    assert.match(value, /^[\x20-\x7e]+$/);
    assert.doesNotMatch(value, /[/\\]|%2F|%5C|%0D|%0A|%00|%E2%80%AE/);
  });

  it('replaces half of a surrogate pair instead of failing', () => {
    assert.equal(contentDisposition('a\ud800b'), `attachment; filename="a_b"; filename*=UTF-8''a%EF%BF%BDb`);
  });
});
