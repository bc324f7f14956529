import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { viewIn, writeView } from './view-address.js';

const read = (text: string) => viewIn(new URLSearchParams(text));

describe('the view in an address', () => {
  it('is read as it was written, and leaves the other parameters', () => {
    const window = { from: 1_772_000_000.25, to: 1_772_000_030.123456 };
    const params = writeView(new URLSearchParams('kind=candles&at=5'), { window, at: undefined });
    assert.equal(params.toString(), 'kind=candles&from=1772000000.25&to=1772000030.123456');
    assert.deepEqual(viewIn(params), { window, at: undefined });
    assert.equal(writeView(params, { window: undefined, at: 7 }).toString(), 'kind=candles&at=7');
  });

  it('is absent where it is none', () => {
    for (const text of [
      '',
      'from=1',
      'from=2&to=1',
      'from=a&to=9',
      'from=&to=9',
      'from=1&to=Infinity',
      'from=1&to=9e99',
    ]) {
      assert.equal(read(text).window, undefined, text);
    }
    assert.equal(read('at=now').at, undefined);
  });
});
