import { type ReactNode, useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import type { Colors } from '../../charts/colors.js';
import { drawGaps, drawLevel, steps } from '../../charts/draw.js';
import { columnsOf } from '../../charts/price-points.js';
import { extremesInSight } from '../../charts/steps.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { decimal } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { pointAt } from './point-at.js';
import { axesOf, marginPx } from '../../charts/axes.js';
import type { ChartProps } from './price-chart.js';

interface CoinChartProps extends ChartProps {
  readonly strike: number | null;
  /** Pixels beside the plot, where other charts of the stack have more than usual. */
  readonly besidePx?: number;
}

/** The price of the coin on the same times, with the strike. */
export const CoinChart = (props: CoinChartProps): ReactNode => {
  const { points, nav, cursor, gaps, strike, besidePx = marginPx } = props;
  const data = useMemo(() => columnsOf(points, ['coin']) as AlignedData, [points]);
  const drawn = useMemo(() => ({ gaps, strike, besidePx }), [gaps, strike, besidePx]);
  const textAt = useCallback(
    (ts: number) => `${dateTime(ts)}: coin ${decimal(pointAt(points, ts)?.coin ?? null)} US dollars`,
    [points],
  );
  const valueAt = useMemo(
    () => ({
      at: (ts: number) => pointAt(points, ts)?.coin,
      text: (value: number) => decimal(Number(value.toFixed(2))),
    }),
    [points],
  );
  return (
    <TimeChart
      name="coin"
      label="Price of the coin over time, in US dollars"
      textAt={textAt}
      valueAt={valueAt}
      height={110}
      data={data}
      drawn={drawn}
      optionsOf={optionsOf}
      nav={nav}
      cursor={cursor}
    />
  );
};

type Drawn = Pick<CoinChartProps, 'gaps' | 'strike'> & { readonly besidePx: number };

const optionsOf = (colors: Colors, drawn: () => Drawn): ChartOptions => {
  const strikeLine = (plot: uPlot): void => {
    const { strike } = drawn();
    if (strike !== null) drawLevel(plot, { value: strike, text: 'strike' }, colors);
  };
  return {
    padding: [8, () => drawn().besidePx, 6, 0],
    scales: { y: { range: coinRange(drawn) } },
    axes: axesOf(colors, { valueOf: (value) => decimal(value), hasTimes: false }),
    series: [
      {},
      {
        label: 'coin',
        stroke: colors.coin,
        width: 1.5,
        points: { show: (plot: uPlot) => plot.data[0].length < 3 },
        paths: steps,
        auto: false,
      },
    ],
    hooks: {
      drawClear: [(plot: uPlot) => drawGaps(plot, drawn().gaps, colors)],
      draw: [strikeLine],
    },
  };
};

/** The strike is in sight unless that would flatten the line. */
const coinRange =
  (drawn: () => Drawn): uPlot.Scale.Range =>
  (plot) => {
    const extremes = extremesInSight(plot);
    if (extremes === undefined) return [0, 1];
    const [low, high] = extremes;
    const { strike } = drawn();
    const length = Math.max(high - low, Math.abs(high) * 1e-5);
    const isNear = strike !== null && strike > low - 2 * length && strike < high + 2 * length;
    const [from, to] = isNear ? [Math.min(low, strike), Math.max(high, strike)] : [low, high];
    const margin = Math.max((to - from) * 0.08, Math.abs(to) * 1e-6);
    return [from - margin, to + margin];
  };
