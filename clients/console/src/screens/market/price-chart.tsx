import type { CoverageGap } from '@almanac/client';
import { type ReactNode, useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { axesOf, marginPx } from '../../charts/axes.js';
import type { Colors } from '../../charts/colors.js';
import type { DepthImage } from '../../charts/depth-layer.js';
import { drawBand, drawCandles, drawGaps, drawMarks, type Mark, steps } from '../../charts/draw.js';
import { drawImageOf } from '../../charts/image-layer.js';
import type { Navigation } from '../../charts/navigate.js';
import type { ValuePick } from '../../charts/pick-button.js';
import { drawPriceLines, type PriceLine } from '../../charts/price-lines.js';
import { columnsOf, type PricePoint } from '../../charts/price-points.js';
import type { Signal } from '../../charts/signal.js';
import { pricesInSight } from '../../charts/steps.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { price } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { pointAt } from './point-at.js';

/** What the charts of a market share. */
export interface ChartProps {
  readonly points: readonly PricePoint[];
  readonly gaps: readonly CoverageGap[];
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
}

interface PriceChartProps extends ChartProps {
  readonly kind: 'line' | 'candles';
  readonly marks: readonly Omit<Mark, 'color'>[];
  readonly depth: DepthImage | undefined;
  readonly isFull: boolean;
  /** The prices that somebody waits for. */
  readonly lines: readonly PriceLine[];
  /** Sets an alert. Undefined: the market has none. */
  readonly pick: ValuePick | undefined;
}

type Drawn = Pick<PriceChartProps, 'points' | 'gaps' | 'marks' | 'depth' | 'isFull' | 'lines'>;

/** The values at the cursor are above the plot, on a phone in two lines. */
const readoutPx = window.innerWidth < 700 ? 36 : 24;
const heightPx = (window.innerWidth < 700 ? 250 : 350) + readoutPx;

const keysText =
  'Price of yes over time. Arrow keys move the cursor, plus and minus zoom, Shift and arrows pan, 0 shows all';

/** Best bid, best ask and the band between them, or candles of the middle, over the order books. */
export const PriceChart = (props: PriceChartProps): ReactNode => {
  const { points, gaps, kind, marks, depth, isFull, lines, pick, nav, cursor } = props;
  const data = useMemo(
    () => columnsOf(points, kind === 'line' ? ['ask', 'bid', 'mid'] : ['high', 'low', 'mid']) as AlignedData,
    [points, kind],
  );
  const drawn = useMemo(
    () => ({ points, gaps, marks, depth, isFull, lines }),
    [points, gaps, marks, depth, isFull, lines],
  );
  const textAt = useCallback((ts: number) => textOf(pointAt(points, ts), ts), [points]);
  const valueAt = useMemo(
    () => ({
      at: (ts: number) => {
        const point = pointAt(points, ts);
        return point?.mid ?? point?.bid ?? point?.ask;
      },
      text: (value: number) => price(Number(value.toFixed(3))),
    }),
    [points],
  );
  return (
    <TimeChart
      name="price"
      label={`${keysText}${pick === undefined ? '' : ', A sets an alert'}`}
      pick={pick}
      textAt={textAt}
      valueAt={valueAt}
      height={heightPx}
      data={data}
      drawn={drawn}
      optionsOf={kind === 'line' ? lineOptions : candleOptions}
      nav={nav}
      cursor={cursor}
    />
  );
};

const textOf = (point: PricePoint | undefined, ts: number): string =>
  point === undefined
    ? `${dateTime(ts)}: no price is known`
    : `${dateTime(point.ts)}: bid ${price(point.bid)}, ask ${price(point.ask)}`;

const none = (): null => null;
/** The series of ask and bid. */
const askAndBid = [1, 2] as const;

const optionsOf = (colors: Colors, drawn: () => Drawn, isLine: boolean): ChartOptions => {
  const paths = isLine ? steps : none;
  const point = { show: isLine ? onePoint : false, size: 6 };
  const draw = (plot: uPlot): void => {
    const { points, marks, lines } = drawn();
    if (!isLine) drawCandles(plot, points, colors);
    drawMarks(
      plot,
      marks.map((mark) => ({ ...mark, color: colors['text-soft'] })),
      colors.surface,
    );
    drawPriceLines(plot, lines, colors);
  };
  const drawClear = (plot: uPlot): void => {
    const { gaps, depth } = drawn();
    drawGaps(plot, gaps, colors);
    // Candles have the colours of the books, so these step back behind them.
    if (depth !== undefined) drawImageOf(plot, depth, isLine ? 1 : 0.4);
    if (isLine) drawBand(plot, askAndBid, colors.band);
  };
  const labels = isLine ? (['ask', 'bid', 'mid'] as const) : (['high', 'low', 'close'] as const);
  const strokes = [colors['ask-line'], colors['bid-line'], colors.mid];
  return {
    padding: [readoutPx, marginPx, 6, 0],
    scales: { y: { range: (plot) => (drawn().isFull ? [0, 1] : pricesInSight(plot)) } },
    axes: axesOf(colors, { valueOf: (value, digits) => price(value, Math.max(2, digits)), hasTimes: false }),
    series: [
      {},
      ...labels.map((label, at) => ({
        label,
        stroke: strokes[at] ?? colors.mid,
        width: at === 2 ? 1.5 : 1,
        paths,
        points: at === 2 ? { show: false } : point,
        auto: false,
      })),
    ],
    hooks: { drawClear: [drawClear], draw: [draw] },
  };
};

const lineOptions = (colors: Colors, drawn: () => Drawn): ChartOptions => optionsOf(colors, drawn, true);
const candleOptions = (colors: Colors, drawn: () => Drawn): ChartOptions => optionsOf(colors, drawn, false);

/** A line of one point would not be seen. */
const onePoint = (plot: uPlot): boolean => plot.data[0].length < 3;
