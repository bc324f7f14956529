import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decimal, isoOf, microsOf, numberOf, secondsOf } from './numbers.js';

/** Even numbers below 1 from a seed (mulberry32), so that a failure can be repeated. */
const randomFrom = (seed: number) => (): number => {
  seed = (seed + 0x6d2b79f5) | 0;
  let mixed = Math.imul(seed ^ (seed >>> 15), 1 | seed);
  mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
  return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
};

describe('times', () => {
  it('are written in ISO 8601 with the digits that they have', () => {
    assert.equal(isoOf(1_771_993_365_058_297), '2026-02-25T04:22:45.058297Z');
    assert.equal(isoOf(1_771_993_365_500_000), '2026-02-25T04:22:45.5Z');
    assert.equal(isoOf(0), '1970-01-01T00:00:00Z');
  });

  const last = Date.UTC(2100, 0, 1) * 1_000;

  it('are written with at most six decimals and read back to the microsecond, from 1970 to 2100', () => {
    const random = randomFrom(20_260_224);
    const edges = [0, 1, 9, 10, 999_999, 1_000_000, 1_000_001, 1_771_993_365_058_297, last - 1, last];
    const drawn = Array.from({ length: 200_000 }, () => Math.floor(random() * last));
    for (const us of [...edges, ...drawn]) {
      const text = JSON.stringify(secondsOf(us));
      assert.match(text, /^\d+(\.\d{1,6})?$/);
      const [integerText = '', fraction = ''] = text.split('.');
      assert.equal(BigInt(integerText) * 1_000_000n + BigInt(fraction.padEnd(6, '0')), BigInt(us), text);
      assert.equal(microsOf(Number(text)), us);
    }
  });

  it('stay unknown when they are unknown', () => assert.equal(secondsOf(null), null));
});

describe('decimals', () => {
  it('are shown with their own digits', () => {
    for (const text of ['0.51', '65541.895', '-3', '0', '95999.99', '0.1'])
      assert.equal(JSON.stringify(numberOf(text)), text);
    assert.equal(numberOf(null), null);
  });
  it('have no exponent, no sign but minus, and no bare point', () => {
    for (const text of ['1e3', '+1', '.5', '5.', '', ' 1', '0x1', 'NaN', '1\n']) {
      assert.equal(decimal.safeParse(text).success, false, JSON.stringify(text));
    }
  });
});
