import type uPlot from 'uplot';
import { clockOf, localDay } from '../format/time.js';
import type { Colors } from './colors.js';
import { timeTicks, valueTicks } from './ticks.js';

/** Pixels that every chart of a stack leaves beside its plot, so that their times are above each other. */
export const gutterPx = 56;
export const marginPx = 16;
export const timesPx = 26;

const timePx = 86;
const edgePx = 20;
const valuePx = 30;

interface AxesOptions {
  readonly valueOf: (value: number, digits: number) => string;
  /** Whether the times are labelled: below the lowest chart of a stack. */
  readonly hasTimes: boolean;
}

/** Times below, values at the left, with at least two labels each. */
export const axesOf = (colors: Colors, { valueOf, hasTimes }: AxesOptions): uPlot.Axis[] => {
  const shared = {
    stroke: colors['text-soft'],
    font: '11px system-ui, sans-serif',
    grid: { stroke: colors.grid, width: 1 },
    ticks: { show: false },
  };
  const timesOf = (plot: uPlot, from: number, to: number) => {
    const { times, step } = timeTicks(from, to, Math.max(2, Math.floor((plot.width - gutterPx) / timePx)));
    // The last label would be cut at the edge.
    const end = to - ((to - from) * edgePx) / Math.max(edgePx, plot.width - gutterPx);
    return { times: times.length > 2 ? times.filter((ts) => ts <= end) : times, step };
  };
  const valuesOf = (plot: uPlot, low: number, high: number) =>
    valueTicks(low, high, Math.max(2, Math.floor((plot.height - (hasTimes ? timesPx : 0)) / valuePx)));
  const rangeOf = ({ min = 0, max = 1 }: uPlot.Scale): readonly [number, number] => [min, max];
  return [
    {
      ...shared,
      size: hasTimes ? timesPx : 0,
      gap: 4,
      splits: (plot, _axis, from, to) => [...timesOf(plot, from, to).times],
      values: (plot, splits) =>
        hasTimes ? timeLabels(splits, timesOf(plot, ...rangeOf(plot.scales['x'] ?? {})).step) : splits.map(() => null),
    },
    {
      ...shared,
      size: gutterPx,
      gap: 4,
      splits: (plot, _axis, low, high) => [...valuesOf(plot, low, high).values],
      values: (plot, splits) => {
        const { digits } = valuesOf(plot, ...rangeOf(plot.scales['y'] ?? {}));
        return splits.map((value) => valueOf(value, digits));
      },
    },
  ];
};

/** Clocks, with the day at the first one and where it changes. Days alone, where each has one. */
const timeLabels = (times: readonly number[], step: number): string[] => {
  let before = '';
  return times.map((ts) => {
    const day = localDay(ts);
    if (step >= 86_400) return day;
    const clock = clockOf(ts);
    const text = step >= 60 ? clock.slice(0, 5) : clock;
    const isNew = day !== before;
    before = day;
    return isNew ? `${day.slice(5)} ${text}` : text;
  });
};
