import type { CoverageGap, Trade } from '@almanac/client';
import { type ReactNode, useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import type { Colors } from '../../charts/colors.js';
import {
  drawBand,
  drawCandles,
  drawGaps,
  drawMarks,
  drawTrades,
  drawVolume,
  type Mark,
  steps,
  type VolumeBars,
  volumeBarsOf,
} from '../../charts/draw.js';
import { columnsOf, type PricePoint } from '../../charts/price-points.js';
import type { Signal } from '../../charts/signal.js';
import { extremesInSight } from '../../charts/steps.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import type { Window } from '../../charts/window.js';
import { price } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { axesOf } from '../../charts/axes.js';
import { pointAt } from './point-at.js';

export interface ChartProps {
  readonly points: readonly PricePoint[];
  readonly gaps: readonly CoverageGap[];
  readonly view: Signal<Window>;
  readonly limits: Window;
  readonly cursor: Signal<number | undefined>;
}

interface PriceChartProps extends ChartProps {
  readonly kind: 'line' | 'candles';
  readonly trades: readonly Trade[];
  readonly marks: readonly Omit<Mark, 'color'>[];
}

interface Drawn extends Pick<PriceChartProps, 'points' | 'gaps' | 'trades' | 'marks'> {
  readonly bars: VolumeBars;
}

/** Best bid, best ask and the band between them, or candles of the middle; trades as dots, volume as bars. */
export const PriceChart = (props: PriceChartProps): ReactNode => {
  const { points, gaps, kind, trades, marks, view, limits, cursor } = props;
  const data = useMemo(() => columnsOf(points, ['ask', 'bid', 'mid']) as AlignedData, [points]);
  const bars = useMemo(() => volumeBarsOf(points), [points]);
  const drawn = useMemo(() => ({ points, gaps, trades, marks, bars }), [points, gaps, trades, marks, bars]);
  const textAt = useCallback((ts: number) => textOf(pointAt(points, ts), ts), [points]);
  return (
    <TimeChart
      name="price"
      label="Price of yes over time. Arrow keys move the cursor, plus and minus zoom, Shift and arrows pan, 0 shows all"
      textAt={textAt}
      height={window.innerWidth < 700 ? 260 : 340}
      data={data}
      drawn={drawn}
      optionsOf={kind === 'line' ? lineOptions : candleOptions}
      view={view}
      limits={limits}
      cursor={cursor}
    />
  );
};

const textOf = (point: PricePoint | undefined, ts: number): string =>
  point === undefined
    ? `${dateTime(ts)}: no price is known`
    : `${dateTime(point.ts)}: bid ${price(point.bid)}, ask ${price(point.ask)}`;

/** A flat price still needs a height. */
const priceRange: uPlot.Scale.Range = (plot) => {
  const [low, high] = extremesInSight(plot) ?? [0, 1];
  const margin = Math.max(0.01, (high - low) * 0.08);
  return [Math.max(0, low - margin), Math.min(1, high + margin)];
};

const none = (): null => null;
/** The series of ask and bid. */
const askAndBid = [1, 2] as const;

const optionsOf = (colors: Colors, drawn: () => Drawn, isLine: boolean): ChartOptions => {
  const paths = isLine ? steps : none;
  const point = { show: isLine ? onePoint : false, size: 6 };
  const draw = (plot: uPlot): void => {
    const { points, trades, marks } = drawn();
    if (!isLine) drawCandles(plot, points, colors);
    drawTrades(plot, trades, colors);
    drawMarks(
      plot,
      marks.map((mark) => ({ ...mark, color: colors['text-soft'] })),
    );
  };
  const drawClear = (plot: uPlot): void => {
    const { gaps, bars } = drawn();
    drawGaps(plot, gaps, colors);
    drawVolume(plot, bars, colors);
    if (isLine) drawBand(plot, askAndBid, colors.band);
  };
  return {
    padding: [8, 10, 0, 0] as [number, number, number, number],
    scales: { y: { range: priceRange } },
    axes: axesOf(colors, (value) => price(Number(value.toFixed(4)))),
    series: [
      {},
      { label: 'ask', stroke: colors.ask, width: 1, paths, points: point, auto: false },
      { label: 'bid', stroke: colors.bid, width: 1, paths, points: point, auto: false },
      { label: 'mid', stroke: colors.mid, width: 1.5, paths, points: { show: false }, auto: false },
    ],
    hooks: { drawClear: [drawClear], draw: [draw] },
  };
};

const lineOptions = (colors: Colors, drawn: () => Drawn): ChartOptions => optionsOf(colors, drawn, true);
const candleOptions = (colors: Colors, drawn: () => Drawn): ChartOptions => optionsOf(colors, drawn, false);

/** A line of one point would not be seen. */
const onePoint = (plot: uPlot): boolean => plot.data[0].length < 3;
