import type { Trade } from '@almanac/client';
import { type ReactNode, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { axesOf, marginPx } from '../../charts/axes.js';
import type { Colors } from '../../charts/colors.js';
import { drawGaps, drawTradeTicks, drawVolume } from '../../charts/draw.js';
import { columnsOf } from '../../charts/price-points.js';
import { extremesInSight } from '../../charts/steps.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { decimal } from '../../format/numbers.js';
import type { ChartProps } from './price-chart.js';

const none = (): null => null;
const paddingTop = 6;

/** Contracts of each candle. */
export const VolumeChart = ({ points, gaps, nav, cursor }: ChartProps): ReactNode => {
  const data = useMemo(() => columnsOf(points, ['volume']) as AlignedData, [points]);
  const drawn = useMemo(() => ({ points, gaps }), [points, gaps]);
  const valueAt = useMemo(
    () => ({
      at: (ts: number) => points.findLast((point) => point.ts <= ts && point.ts + point.span_s > ts)?.volume,
      text: (value: number) => decimal(Number(value.toFixed(value < 10 ? 2 : 0))),
    }),
    [points],
  );
  const shared = { nav, cursor, valueAt, data, drawn };
  return <TimeChart name="volume" height={64} optionsOf={volumeOptions} {...shared} />;
};

const volumeOptions = (colors: Colors, drawn: () => Pick<ChartProps, 'points' | 'gaps'>): ChartOptions => ({
  padding: [paddingTop, marginPx, paddingTop, 0],
  scales: { y: { range: (plot) => [0, (extremesInSight(plot)?.[1] ?? 0) * 1.1 || 1] } },
  axes: axesOf(colors, { valueOf: (value) => shortened(value), hasTimes: false }),
  series: [{}, { label: 'volume', paths: none, points: { show: false }, auto: false }],
  hooks: {
    drawClear: [(plot: uPlot) => drawGaps(plot, drawn().gaps, colors)],
    draw: [(plot: uPlot) => drawVolume(plot, drawn().points, colors)],
  },
});

/** `12k`, because the axis is narrow. */
const shortened = (value: number): string =>
  value >= 1e6 ? `${decimal(value / 1e6)}M` : value >= 1e3 ? `${decimal(value / 1e3)}k` : decimal(value);

interface TradeTicksProps extends ChartProps {
  readonly trades: readonly Trade[];
}

/** Each trade in sight: takers of yes above the line, of no below it. */
export const TradeTicks = ({ trades, points, gaps, nav, cursor }: TradeTicksProps): ReactNode => {
  const data = useMemo((): AlignedData => [trades.map(({ ts }) => ts), trades.map(({ size }) => size)], [trades]);
  const drawn = useMemo(() => ({ trades, gaps }), [trades, gaps]);
  const valueAt = useMemo(() => ({ at: () => undefined, text: () => '' }), []);
  if (trades.length === 0 || points.length === 0) return null;
  const shared = { nav, cursor, valueAt, data, drawn };
  return <TimeChart name="trades" height={40} optionsOf={tickOptions} {...shared} />;
};

const tickOptions = (colors: Colors, drawn: () => Pick<TradeTicksProps, 'trades' | 'gaps'>): ChartOptions => ({
  padding: [2, marginPx, 2, 0],
  cursor: { y: false },
  scales: { y: { range: [0, 1] } },
  axes: axesOf(colors, { valueOf: () => '', hasTimes: false }),
  series: [{}, { label: 'size', paths: none, points: { show: false }, auto: false }],
  hooks: {
    drawClear: [(plot: uPlot) => drawGaps(plot, drawn().gaps, colors)],
    draw: [(plot: uPlot) => drawTradeTicks(plot, drawn().trades, colors)],
  },
});
