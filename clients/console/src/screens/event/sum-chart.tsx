import { type ReactNode, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { axesOf } from '../../charts/axes.js';
import type { Colors } from '../../charts/colors.js';
import { drawLevel, steps } from '../../charts/draw.js';
import { extremesInSight } from '../../charts/steps.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { price } from '../../format/numbers.js';
import { indexAt } from '../../charts/index-at.js';
import { type EventChartProps, labelsPx } from './event-chart.js';
import { type Line, sumOf } from './event-data.js';

interface SumChartProps extends Pick<EventChartProps, 'nav' | 'cursor'> {
  /** Of all markets of the event. */
  readonly lines: readonly Line[];
}

/** The prices of all markets together. One of them wins, so what is away from 1 is spread, fee or somebody's mistake. */
export const SumChart = ({ lines, nav, cursor }: SumChartProps): ReactNode => {
  const sums = useMemo(() => sumOf(lines), [lines]);
  const ts = lines[0]?.ts;
  const data = useMemo(() => [[...(ts ?? [])], sums] as AlignedData, [ts, sums]);
  const drawn = useMemo(() => [], []);
  const valueAt = useMemo(
    () => ({
      at: (at: number) => sums[indexAt(ts ?? [], at)],
      text: (value: number) => price(Number(value.toFixed(3))),
    }),
    [sums, ts],
  );
  const shared = { nav, cursor, valueAt, data, drawn };
  return <TimeChart name="sum" height={80} optionsOf={optionsOf} {...shared} />;
};

/** 1 is always in sight. */
const range: uPlot.Scale.Range = (plot) => {
  const [low, high] = extremesInSight(plot) ?? [1, 1];
  const margin = Math.max(0.02, (Math.max(high, 1) - Math.min(low, 1)) * 0.15);
  return [Math.min(low, 1) - margin, Math.max(high, 1) + margin];
};

const optionsOf = (colors: Colors): ChartOptions => ({
  padding: [8, labelsPx, 6, 0],
  scales: { y: { range } },
  axes: axesOf(colors, { valueOf: (value, digits) => price(value, Math.max(2, digits)), hasTimes: false }),
  series: [{}, { label: 'sum', stroke: colors.mid, width: 1.5, points: { show: false }, paths: steps, auto: false }],
  hooks: { draw: [(plot: uPlot) => drawLevel(plot, { value: 1, text: 'sum of all prices' }, colors)] },
});
