import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { seededRandom } from '@almanac/testing';
import { decimalText } from './candle-cells.js';

/** The same with integers of any size. */
const expected = (units: number, digits: number): string => {
  const scale = 10n ** BigInt(digits);
  const size = BigInt(Math.abs(units));
  const fraction = String(size % scale)
    .padStart(digits, '0')
    .replace(/0+$/, '');
  return `${units < 0 ? '-' : ''}${size / scale}${fraction === '' ? '' : `.${fraction}`}`;
};

describe('the decimal of an integer number of units', () => {
  const same = (units: number, digits: number): void =>
    assert.equal(decimalText(units, digits), expected(units, digits), `${units}, ${digits}`);

  it('has all its digits, without zeros at the end', () => {
    assert.equal(decimalText(480_000, 6), '0.48');
    assert.equal(decimalText(4_950_005, 7), '0.4950005');
    assert.equal(decimalText(-1, 8), '-0.00000001');
    assert.equal(decimalText(0, 6), '0');
  });

  it('is exact for every integer that a number has exactly (property)', () => {
    const random = seededRandom(99);
    for (const digits of [6, 7, 8]) {
      const scale = 10 ** digits;
      const most = Number.MAX_SAFE_INTEGER;
      for (const units of [most, most - 1, most - (most % scale), most - (most % scale) - 1]) same(units, digits);
      for (let count = 0; count < 2_000; count += 1) {
        const units = Math.floor(random() * 10 ** Math.floor(random() * 16));
        for (const near of [units, -units, units - (units % scale), units - (units % scale) - 1]) same(near, digits);
      }
    }
  });
});
