import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rollingDetector } from './rolling.js';

const minute = 60_000_000;
const window = (index: number, ticker = `S-${index}`, lengthMinutes = 15) => ({
  series: 'S',
  ticker,
  openUs: index * 15 * minute,
  closeUs: (index * 15 + lengthMinutes) * minute,
});
const isRollingFor = (windows: readonly ReturnType<typeof window>[]): readonly string[] => {
  const detector = rollingDetector();
  for (const one of windows) detector.see(one);
  return detector.rolling();
};
const indexes = (amount: number): readonly number[] => Array.from({ length: amount }, (_, index) => index);

test('consecutive windows are rolling, whatever the order of the rows', () => {
  const windows = indexes(2_000).map((index) => window(index));
  assert.deepEqual(isRollingFor(windows), ['S']);
  assert.deepEqual(isRollingFor(windows.toReversed()), ['S']);
  assert.deepEqual(
    isRollingFor(windows.toSorted((a, b) => ((a.openUs * 7919) % 1_009) - ((b.openUs * 7919) % 1_009))),
    ['S'],
  );
  assert.deepEqual(isRollingFor([...windows, ...windows]), ['S'], 'a repeated row changes nothing');
});

test('gaps do not hide a rolling series, and two markets do not make one', () => {
  assert.deepEqual(isRollingFor([0, 1, 2, 9, 10, 11].map((index) => window(index))), ['S']);
  assert.deepEqual(isRollingFor([0, 1].map((index) => window(index))), []);
  assert.deepEqual(isRollingFor([0, 2, 4, 6].map((index) => window(index))), []);
});

test('a ladder of strikes and overlapping windows are not rolling', () => {
  const ladder = indexes(50).flatMap((index) => indexes(10).map((strike) => window(index, `S-${index}-T${strike}`)));
  assert.deepEqual(isRollingFor(ladder), []);
  assert.deepEqual(isRollingFor(indexes(10).map((index) => window(index, `S-${index}`, 30))), []);
});
