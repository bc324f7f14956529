import type uPlot from 'uplot';

/** Whole pixels of times and values. */
export interface Pixels {
  readonly x: (ts: number) => number;
  readonly y: (value: number) => number;
}

/** The points in sight by the column of pixels in which they are drawn. Columns without a point are left out. */
export interface PixelColumns {
  readonly count: number;
  readonly left: Int32Array;
  /** The first point of each column, and the one after its last. */
  readonly first: Int32Array;
  readonly end: Int32Array;
}

export type Rectangle = readonly [left: number, top: number, width: number, height: number];
export type Fill = (...rectangle: Rectangle) => void;

const numbers = new WeakMap<object, Float64Array>();

/** Values of a series, NaN for null: a frame reads each of them, which is ten times as fast in an array of numbers. */
export const numbersOf = (values: ArrayLike<number | null | undefined>): Float64Array => {
  const known = numbers.get(values) ?? Float64Array.from(values, (value) => value ?? Number.NaN);
  numbers.set(values, known);
  return known;
};

/** The pixels of a chart with linear scales. `valToPos` does the same, and takes longer. */
export const pixelsOf = ({ bbox: { left, top, width, height }, scales }: uPlot): Pixels => {
  const { min: from, max: to } = rangeOf(scales['x']);
  const { min: low, max: high } = rangeOf(scales['y']);
  return {
    x: (ts) => Math.round(left + ((ts - from) / (to - from)) * width),
    y: (value) => Math.round(top + height - ((value - low) / (high - low)) * height),
  };
};

const rangeOf = (scale: uPlot.Scale | undefined): { readonly min: number; readonly max: number } => ({
  min: scale?.min ?? 0,
  max: scale?.max ?? 1,
});

/** Pixels of the canvas from `left` on, and the times that they show. */
export interface Span {
  readonly left: number;
  readonly width: number;
  readonly from: number;
  readonly to: number;
}

/**
 * The columns of a chart, in which times are rounded as in `pixelsOf`. The last point before it and the first one after it are
 * in a column beside it.
 */
export const columnsIn = (ts: Float64Array, { left, width, from, to }: Span): PixelColumns => {
  const size = width + 3;
  const columns = { left: new Int32Array(size), first: new Int32Array(size), end: new Int32Array(size) };
  let count = 0;
  const add = (pixel: number, first: number, end: number): void => {
    if (first >= end) return;
    columns.left[count] = pixel;
    columns.first[count] = first;
    columns.end[count] = end;
    count += 1;
  };
  const tsAt = (pixel: number): number => from + (pixel / width) * (to - from);
  let at = firstAtOrAfter(ts, tsAt(-0.5));
  add(left - 1, Math.max(0, at - 1), at);
  for (let pixel = 0; pixel <= width; pixel += 1) {
    const first = at;
    const endTs = tsAt(pixel + 0.5);
    while (at < ts.length && (ts[at] ?? 0) < endTs) at += 1;
    add(left + pixel, first, at);
  }
  add(left + width + 1, at, Math.min(ts.length, at + 1));
  return { count, ...columns };
};

/** By halving. */
const firstAtOrAfter = (ts: Float64Array, from: number): number => {
  let low = 0;
  let high = ts.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ts[middle] ?? 0) < from) low = middle + 1;
    else high = middle;
  }
  return low;
};

const columnsNow = new WeakMap<object, { readonly span: Span; readonly columns: PixelColumns }>();

/** The lines of a chart share them in a frame. */
export const columnsOfPlot = (plot: uPlot): PixelColumns => {
  const { min: from, max: to } = rangeOf(plot.scales['x']);
  const span: Span = { left: Math.round(plot.bbox.left), width: Math.round(plot.bbox.width), from, to };
  const ts = numbersOf(plot.data[0]);
  const known = columnsNow.get(ts);
  if (known !== undefined && isSameSpan(known.span, span)) return known.columns;
  const columns = columnsIn(ts, span);
  columnsNow.set(ts, { span, columns });
  return columns;
};

const isSameSpan = (one: Span, other: Span): boolean =>
  one.from === other.from && one.to === other.to && one.left === other.left && one.width === other.width;

/** The lowest and the highest value in sight, with those that hold from before it. uPlot finds them more slowly. */
export const extremesInSight = ({ data, series }: uPlot): readonly [low: number, high: number] | undefined => {
  const [first, last] = series[0]?.idxs ?? [0, -1];
  let [low, high] = [Infinity, -Infinity];
  for (const values of data.slice(1).map(numbersOf)) {
    for (let at = Math.max(0, first - 1); at <= last; at += 1) {
      const value = values[at] ?? Number.NaN;
      if (value < low) low = value;
      if (value > high) high = value;
    }
  }
  return low <= high ? [low, high] : undefined;
};

/** The range of an axis of prices. A flat price still needs a height. */
export const pricesInSight = (plot: uPlot): [low: number, high: number] => {
  const [low, high] = extremesInSight(plot) ?? [0, 1];
  const margin = Math.max(0.01, (high - low) * 0.08);
  return [Math.max(0, low - margin), Math.min(1, high + margin)];
};

/**
 * A line in steps: each value holds until the next one, and null ends it there. A column of pixels is one rectangle from its
 * lowest to its highest value, so a frame costs as much as the chart is wide, however many points it has. Rectangles of width
 * or height 0 are strokes.
 */
export const fillSteps = (fill: Fill, values: Float64Array, columns: PixelColumns, y: Pixels['y']): void => {
  let before = Number.NaN;
  let beforeLeft = 0;
  for (let column = 0; column < columns.count; column += 1) {
    const [left, first, end] = [columns.left[column] ?? 0, columns.first[column] ?? 0, columns.end[column] ?? 0];
    const isHeld = !Number.isNaN(before);
    const isJoined = isHeld && !Number.isNaN(values[first] ?? Number.NaN);
    // Columns side by side both contain the value between them.
    if (isHeld && !(isJoined && left === beforeLeft + 1)) fill(beforeLeft, y(before), left - beforeLeft, 0);
    let low = isJoined ? before : Infinity;
    let high = isJoined ? before : -Infinity;
    for (let at = first; at < end; at += 1) {
      const value = values[at] ?? Number.NaN;
      if (value < low) low = value;
      if (value > high) high = value;
    }
    if (low <= high) fill(left, y(high), 0, y(low) - y(high));
    before = values[end - 1] ?? Number.NaN;
    beforeLeft = left;
  }
};

/** What is between two lines in steps, where both have a value. */
export const fillBetween = (
  fill: Fill,
  { upper, lower }: { readonly upper: Float64Array; readonly lower: Float64Array },
  columns: PixelColumns,
  y: Pixels['y'],
): void => {
  let [before, beforeHigh, beforeLow] = [0, Number.NaN, Number.NaN];
  const fillColumn = (left: number, right: number, [high, low]: readonly [number, number]): void => {
    if (right > left && high > low) fill(left, y(high), right - left, y(low) - y(high));
  };
  for (let column = 0; column < columns.count; column += 1) {
    const [left, first, end] = [columns.left[column] ?? 0, columns.first[column] ?? 0, columns.end[column] ?? 0];
    fillColumn(before + 1, left, [beforeHigh, beforeLow]);
    let [high, low] = [-Infinity, Infinity];
    for (let at = first; at < end; at += 1) {
      const above = upper[at] ?? Number.NaN;
      const below = lower[at] ?? Number.NaN;
      if (Number.isNaN(above) || Number.isNaN(below)) continue;
      if (above > high) high = above;
      if (below < low) low = below;
    }
    fillColumn(left, left + 1, [high, low]);
    [before, beforeHigh, beforeLow] = [left, upper[end - 1] ?? Number.NaN, lower[end - 1] ?? Number.NaN];
  }
};
