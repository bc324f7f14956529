import assert from 'node:assert/strict';
import { test } from 'node:test';
import { millionthsText, readMillionths } from './millionths.js';

test('a decimal text becomes its integer of millionths, and that becomes its shortest text', () => {
  const cases: readonly (readonly [text: string, value: number, shortest: string])[] = [
    ['0.0090', 9_000, '0.009'],
    ['-300.00', -300_000_000, '-300'],
    ['66031.01', 66_031_010_000, '66031.01'],
    ['1', 1_000_000, '1'],
    ['.5', 500_000, '0.5'],
    ['0.1234560000', 123_456, '0.123456'],
    ['-0.00', 0, '0'],
    ['9007199254.740991', Number.MAX_SAFE_INTEGER, '9007199254.740991'],
  ];
  for (const [text, value, shortest] of cases) {
    assert.strictEqual(readMillionths(text), value, text);
    assert.strictEqual(millionthsText(value), shortest);
  }
});

test('a text that is no exact number of millionths is refused', () => {
  for (const text of ['', '-', '.', '1.2.3', '1e5', ' 1', '+1', '0x10', 'NaN', '0.0000001', '9007199254.740992', '٣'])
    assert.strictEqual(readMillionths(text), null, text);
});

test('every integer of millionths survives the conversion to text', () => {
  let value = 1;
  for (let turn = 0; turn < 20_000; turn += 1) {
    value = (value * 48_271 + turn) % Number.MAX_SAFE_INTEGER;
    assert.strictEqual(readMillionths(millionthsText(value)), value);
  }
});
