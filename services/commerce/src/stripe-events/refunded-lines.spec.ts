import assert from 'node:assert/strict';
import { test } from 'node:test';
import { refundedLines } from './refunded-lines.js';

const lines = ['A', 'B', 'C'].map((event) => ({ event, title: null, price: 500 }));
const refund = (amount: number, event: string | null = null) => ({ amount, event, own: null });

test('a refund that names its event takes that line', () => {
  assert.deepEqual(refundedLines(lines, [refund(500, 'B')]), ['B']);
  assert.deepEqual(refundedLines(lines, [refund(1, 'A')]), ['A']);
});

test('a refund that names no event takes whole lines from the last, but never a named one', () => {
  assert.deepEqual(refundedLines(lines, [refund(500)]), ['C']);
  assert.deepEqual(refundedLines(lines, [refund(500), refund(500, 'C')]), ['B', 'C']);
  assert.deepEqual(refundedLines(lines, [refund(300), refund(700)]), ['B', 'C']);
  assert.deepEqual(refundedLines(lines, [refund(1_500)]), ['A', 'B', 'C']);
});

test('a refund below the price of a line takes no line', () => {
  assert.deepEqual(refundedLines(lines, [refund(499)]), []);
  assert.deepEqual(refundedLines(lines, [refund(999)]), ['C']);
  assert.deepEqual(refundedLines(lines, []), []);
});

test('a refund takes a line without a price only by its name', () => {
  const free = [{ event: 'F', title: null, price: 0 }];
  assert.deepEqual(refundedLines(free, [refund(0)]), []);
  assert.deepEqual(refundedLines(free, [refund(0, 'F')]), ['F']);
});
