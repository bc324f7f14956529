import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { columnsIn, type Fill, fillBetween, fillSteps, numbersOf } from './steps.js';

const left = 7;
const width = 40;
const height = 30;
type Values = readonly (number | null)[];

/** The pixels that rectangles cover. A stroke is one pixel thick. */
const canvas = () => {
  const covered = new Set<string>();
  let fills = 0;
  const stroke: Fill = (fromX, fromY, wide, high) => {
    fills += 1;
    for (let x = fromX; x <= fromX + wide; x += 1) {
      for (let y = fromY; y <= fromY + high; y += 1) if (x >= left && x <= left + width) covered.add(`${x} ${y}`);
    }
  };
  return { stroke, pixels: () => [...covered].toSorted(), fills: () => fills };
};

const span = (from: number, to: number) => ({ left, width, from, to });
const y = (value: number): number => Math.round((1 - value) * height);

/** Each step on its own. In a column, a value that follows null is not joined to the one before. */
const strokeEach = (
  stroke: Fill,
  values: Values,
  { from, to }: { readonly from: number; readonly to: number },
): void => {
  const x = (ts: number): number =>
    Math.min(left + width + 1, Math.max(left - 1, Math.round(left + ((ts - from) / (to - from)) * width)));
  let before: number | null = null;
  values.forEach((value, ts) => {
    if (before !== null) stroke(x(ts - 1), y(before), x(ts) - x(ts - 1), 0);
    if (value !== null) {
      const [one, other] = [y(value), y(before ?? value)];
      stroke(x(ts), Math.min(one, other), 0, Math.abs(one - other));
    }
    before = value;
  });
};

/** Random walks, the same in each run, with stretches without a value. */
const walk = (count: number, seed: number, unknown = 0.03): (number | null)[] => {
  let state = seed;
  const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
  let value = 0.5;
  let isKnown = true;
  return Array.from({ length: count }, () => {
    value = Math.min(1, Math.max(0, value + (random() - 0.5) / 5));
    if (random() < unknown) isKnown = !isKnown;
    return isKnown ? value : null;
  });
};

const timesOf = (values: Values): Float64Array => Float64Array.from(values, (_, at) => at);
const fillAll = (stroke: Fill, values: Values, window: { readonly from: number; readonly to: number }): void =>
  fillSteps(stroke, numbersOf(values), columnsIn(timesOf(values), span(window.from, window.to)), y);

describe('a line in steps', () => {
  it('covers the same pixels as all of its steps, whatever part of it is in sight', () => {
    for (const count of [1, 2, 10, 39, 100, 1_000]) {
      for (let seed = 1; seed <= 30; seed += 1) {
        const values = walk(count, seed, 0);
        for (const window of [
          { from: 0, to: count },
          { from: count * 0.3, to: count * 0.7 },
          { from: count * 0.5, to: count * 0.5 + 0.3 },
        ]) {
          const [thinned, whole] = [canvas(), canvas()];
          fillAll(thinned.stroke, values, window);
          strokeEach(whole.stroke, values, window);
          assert.deepEqual(thinned.pixels(), whole.pixels(), `${count} points, seed ${seed}, from ${window.from}`);
        }
      }
    }
  });

  it('covers the same pixels with gaps, if each point has its own column', () => {
    for (let seed = 1; seed <= 100; seed += 1) {
      const values = walk(39, seed, 0.2);
      const [thinned, whole] = [canvas(), canvas()];
      fillAll(thinned.stroke, values, { from: 0, to: 39 });
      strokeEach(whole.stroke, values, { from: 0, to: 39 });
      assert.deepEqual(thinned.pixels(), whole.pixels(), `seed ${seed}`);
    }
  });

  it('costs as much as the chart is wide', () => {
    const { stroke, fills } = canvas();
    const values = Array.from({ length: 100_000 }, (_, at) => (at % 97) / 100);
    fillAll(stroke, values, { from: 0, to: values.length });
    assert.ok(fills() <= width + 5, `${fills()} rectangles`);
  });

  it('holds its value until a gap begins, and none in the gap', () => {
    const { stroke, pixels } = canvas();
    fillAll(stroke, [0.5, null, null, 0.5], { from: 0, to: 20 });
    assert.deepEqual(pixels(), ['13 15', '7 15', '8 15', '9 15']);
  });
});

describe('the band between two lines', () => {
  const bandOf = (upper: Values, lower: Values, to: number) => {
    const bands: (readonly number[])[] = [];
    const lines = { upper: numbersOf(upper), lower: numbersOf(lower) };
    const columns = columnsIn(timesOf(upper), { left: 0, width: 10, from: 0, to });
    fillBetween(
      (...band) => bands.push(band),
      lines,
      columns,
      (value) => Math.round((1 - value) * 10),
    );
    return bands.map(([x = 0, top = 0, wide = 0, high = 0]) => [x, x + wide, top, top + high]);
  };

  it('is what both enclose, and nothing where one is unknown', () => {
    assert.deepEqual(bandOf([0.9, 0.8, null, 0.9, 0.9], [0.2, 0.3, 0.3, 0.4, null], 5), [
      [0, 1, 1, 8],
      [1, 2, 1, 8],
      [2, 3, 2, 7],
      [3, 4, 2, 7],
      [6, 7, 1, 6],
      [7, 8, 1, 6],
    ]);
  });

  it('is as high as all values of a column, and then as the last of them', () => {
    assert.deepEqual(bandOf([0.5, 0.9, 0.6, 0.6], [0.4, 0.5, 0.5, 0.5], 60), [
      [0, 1, 1, 6],
      [1, 2, 4, 5],
    ]);
  });
});
