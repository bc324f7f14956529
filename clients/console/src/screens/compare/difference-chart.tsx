import { type ReactNode, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { axesOf } from '../../charts/axes.js';
import type { Colors } from '../../charts/colors.js';
import { drawLevel, steps } from '../../charts/draw.js';
import type { Navigation } from '../../charts/navigate.js';
import type { Signal } from '../../charts/signal.js';
import { extremesInSight } from '../../charts/steps.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { price } from '../../format/numbers.js';
import { indexAt } from '../../charts/index-at.js';
import { labelsPx } from '../event/event-chart.js';

interface DifferenceChartProps {
  readonly ts: readonly number[];
  readonly differences: readonly (number | null)[];
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
}

/** `+0.02`, `-0.1`. */
export const signed = (value: number | null | undefined): string =>
  value === null || value === undefined
    ? '–'
    : `${value > 0 ? '+' : value < 0 ? '−' : ''}${price(Math.abs(Number(value.toFixed(4))))}`;

/** The first market minus the second: what is away from 0 is what the two disagree about. */
export const DifferenceChart = ({ ts, differences, nav, cursor }: DifferenceChartProps): ReactNode => {
  const data = useMemo(() => [[...ts], [...differences]] as AlignedData, [ts, differences]);
  const drawn = useMemo(() => [], []);
  const valueAt = useMemo(
    () => ({ at: (at: number) => differences[indexAt(ts, at)], text: (value: number) => signed(value) }),
    [differences, ts],
  );
  const shared = { nav, cursor, valueAt, data, drawn };
  return <TimeChart name="difference" height={110} optionsOf={optionsOf} {...shared} />;
};

/** 0 is always in sight. */
const range: uPlot.Scale.Range = (plot) => {
  const [low, high] = extremesInSight(plot) ?? [0, 0];
  const margin = Math.max(0.01, (Math.max(high, 0) - Math.min(low, 0)) * 0.15);
  return [Math.min(low, 0) - margin, Math.max(high, 0) + margin];
};

const optionsOf = (colors: Colors): ChartOptions => ({
  padding: [8, labelsPx, 6, 0],
  scales: { y: { range } },
  axes: axesOf(colors, { valueOf: (value) => signed(value), hasTimes: false }),
  series: [
    {},
    { label: 'difference', stroke: colors.mid, width: 1.5, points: { show: false }, paths: steps, auto: false },
  ],
  hooks: { draw: [(plot: uPlot) => drawLevel(plot, { value: 0, text: 'first minus second' }, colors)] },
});
