import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bytes, count, decimal, digitsOf, percent, price } from './numbers.js';
import { clockOf, dateTime, duration, fromInput, minuteOf, toInput } from './time.js';

describe('numbers of the console', () => {
  it('have exactly the digits of the API', () => {
    assert.equal(decimal(95_959.21), '95,959.21');
    assert.equal(decimal(66_031.01), '66,031.01');
    assert.equal(decimal(1e-7), '0.0000001');
    assert.equal(decimal(-1_234.5), '-1,234.5');
    assert.equal(decimal(0), '0');
    assert.equal(decimal(null), '–');
    assert.equal(count(1_234_567), '1,234,567');
  });

  it('align prices by at least two digits and never cut one', () => {
    assert.equal(price(0.5), '0.50');
    assert.equal(price(1), '1.00');
    assert.equal(price(0.0085), '0.0085');
    assert.equal(price(0.99, digitsOf([0.99, 0.999])), '0.990');
  });

  it('call a share complete only if it is', () => {
    assert.deepEqual([1, 0.99999, 0.894, 0.0001, 0].map(percent), ['100 %', '> 99.9 %', '89.4 %', '< 0.1 %', '0 %']);
  });

  it('state sizes in powers of 1,000', () => {
    assert.deepEqual([999, 90_103, 1_500_000].map(bytes), ['999 B', '90.1 KB', '1.5 MB']);
  });
});

describe('times of the console', () => {
  it('are UTC and say so, to the microsecond', () => {
    assert.equal(dateTime(1_772_000_000), '2026-02-25 06:13:20 UTC');
    assert.equal(dateTime(1_778_763_695.997937), '2026-05-14 13:01:35.997937 UTC');
    assert.equal(minuteOf(1_772_000_000), '2026-02-25 06:13 UTC');
    assert.equal(clockOf(1_778_763_695.997937), '13:01:35.997');
    assert.equal(dateTime(null), '–');
  });

  it('survive the input field of a date', () => {
    assert.equal(fromInput(toInput(1_772_000_000)), 1_772_000_000);
    assert.equal(fromInput('2026-02-25T06:13'), 1_771_999_980);
    assert.equal(fromInput(''), undefined);
  });

  it('have lengths in at most two units', () => {
    assert.deepEqual([0.42, 90, 900, 3_600, 90_000, 86_400, 59.7].map(duration), [
      '0.42 s',
      '1 min 30 s',
      '15 min',
      '1 h',
      '1 d 1 h',
      '1 d',
      '60 s',
    ]);
  });
});
