import { type ReactNode, useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { type Colors, lineColor } from '../../charts/colors.js';
import { steps } from '../../charts/draw.js';
import { isDark } from '../../layout/theme.js';
import { type Signal, useSignal } from '../../charts/signal.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import type { Window } from '../../charts/window.js';
import { price } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { axesOf } from '../../charts/axes.js';
import type { Line } from './event-data.js';

interface EventChartProps {
  readonly lines: readonly Line[];
  readonly view: Signal<Window>;
  readonly limits: Window;
  readonly cursor: Signal<number | undefined>;
}

/** The last grid time at or before a time. */
const indexAt = (ts: readonly number[], at: number): number => ts.findLastIndex((time) => time <= at + 1e-6);

/** The chosen markets of an event on one clock. */
export const EventChart = ({ lines, view, limits, cursor }: EventChartProps): ReactNode => {
  const tickers = lines.map(({ ticker }) => ticker).join('\n');
  const data = useMemo(
    () => [[...(lines[0]?.ts ?? [])], ...lines.map(({ prices }) => [...prices])] as AlignedData,
    [lines],
  );
  const optionsOf = useCallback(
    (colors: Colors) => eventOptions(colors, tickers === '' ? [] : tickers.split('\n')),
    [tickers],
  );
  const textAt = useCallback(
    (at: number) =>
      `${dateTime(Math.round(at))}: ${lines.map(({ ticker, ts, prices }) => `${ticker} ${price(prices[indexAt(ts, at)])}`).join(', ')}`,
    [lines],
  );
  return (
    <TimeChart
      name="event"
      label="Prices of the chosen markets over time. Arrow keys move the cursor, plus and minus zoom, Shift and arrows pan, 0 shows all"
      textAt={textAt}
      height={window.innerWidth < 700 ? 260 : 360}
      data={data}
      drawn={lines}
      optionsOf={optionsOf}
      view={view}
      limits={limits}
      cursor={cursor}
    />
  );
};

const eventOptions = (colors: Colors, tickers: readonly string[]): ChartOptions => {
  const theme = isDark() ? 'dark' : 'light';
  return {
    padding: [8, 10, 0, 0],
    scales: { y: { range: [0, 1] } },
    axes: axesOf(colors, (value) => price(Number(value.toFixed(4)))),
    series: [
      {},
      ...tickers.map((label, at) => ({
        label,
        stroke: lineColor(at, theme),
        width: 1.5,
        points: { show: (plot: uPlot) => plot.data[0].length < 3 },
        paths: steps,
      })),
    ],
  };
};

interface LegendProps extends Pick<EventChartProps, 'lines' | 'cursor'> {
  readonly titleOf: (ticker: string) => string;
  readonly theme: string;
}

/** The chosen markets with their colours, and their prices at the cursor. */
export const Legend = ({ lines, cursor, titleOf, theme }: LegendProps): ReactNode => {
  const at = useSignal(cursor);
  const ts = at ?? lines[0]?.ts.at(-1);
  return (
    <div className="event-legend">
      <time className="hint">{ts === undefined ? '' : dateTime(Math.round(ts))}</time>
      <ul>
        {lines.map((line, index) => (
          <li key={line.ticker}>
            <span className="swatch" style={{ background: lineColor(index, theme) }} aria-hidden="true" />
            <span className="legend-title" dir="auto" title={line.ticker}>
              {titleOf(line.ticker)}
            </span>
            <span className="number">{ts === undefined ? '–' : price(line.prices[indexAt(line.ts, ts)])}</span>
          </li>
        ))}
      </ul>
    </div>
  );
};
