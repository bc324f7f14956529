import { type ReactNode, useCallback, useEffect, useMemo, useRef } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { axesOf } from '../../charts/axes.js';
import { type Colors, lineColor } from '../../charts/colors.js';
import { drawGaps, steps } from '../../charts/draw.js';
import type { Navigation } from '../../charts/navigate.js';
import type { Signal } from '../../charts/signal.js';
import { pricesInSight } from '../../charts/steps.js';
import { indexAt } from '../../charts/index-at.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { price } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { isDark } from '../../layout/theme.js';
import type { Line } from './event-data.js';
import { drawLabels } from './line-labels.js';
import type { ChartedGap } from './event-gaps.js';

export interface EventChartProps {
  /** Names the chart for tests. */
  readonly name?: string;
  /** Whether the axis of prices is from 0 to 1. */
  readonly isFull?: boolean;
  readonly lines: readonly Line[];
  readonly gaps: readonly ChartedGap[];
  readonly nameOf: (ticker: string) => string;
  /** The market whose line is in front of the others. */
  readonly lifted: Signal<string | undefined>;
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
}

/** Pixels beside the plot for the names of lines. */
export const labelsPx = window.innerWidth < 700 ? 84 : 128;
const liftPx = 14;
const redraw = 'almanac-redraw';
const heightPx = window.innerWidth < 700 ? 280 : 380;

interface Drawn extends Pick<EventChartProps, 'lines' | 'gaps' | 'lifted'> {
  readonly isFull: boolean;
  readonly names: readonly string[];
}

/** The chosen markets of an event on one clock, each with its name at the end of its line. */
export const EventChart = (props: EventChartProps): ReactNode => {
  const { name = 'event', isFull = true, lines, gaps, nameOf, lifted, nav, cursor } = props;
  const tickers = lines.map(({ ticker }) => ticker).join('\n');
  const data = useMemo(
    () => [[...(lines[0]?.ts ?? [])], ...lines.map(({ prices }) => [...prices])] as AlignedData,
    [lines],
  );
  const names = useMemo(() => lines.map(({ ticker }) => nameOf(ticker)), [lines, nameOf]);
  const drawn = useMemo(() => ({ lines, gaps, lifted, names, isFull }), [lines, gaps, lifted, names, isFull]);
  const optionsOf = useCallback(
    (colors: Colors, marks: () => Drawn) => eventOptions(colors, marks, tickers === '' ? [] : tickers.split('\n')),
    [tickers],
  );
  const textAt = useCallback(
    (at: number) =>
      `${dateTime(Math.round(at))}: ${lines.map(({ ticker, ts, prices }) => `${ticker} ${price(prices[indexAt(ts, at)])}`).join(', ')}`,
    [lines],
  );
  const valueAt = useMemo(
    () => ({
      at: (at: number) => {
        const line = lines.find(({ ticker }) => ticker === lifted.get());
        return line?.prices[indexAt(line.ts, at)];
      },
      text: (value: number) => price(Number(value.toFixed(3))),
    }),
    [lines, lifted],
  );
  const box = useRef<HTMLDivElement>(null);
  // Another line in front is drawn without a render. A market whose line is not drawn changes nothing.
  useEffect(() => {
    const inFront = (): string | undefined => lines.find(({ ticker }) => ticker === lifted.get())?.ticker;
    let before = inFront();
    return lifted.subscribe(() => {
      if (inFront() === before) return;
      before = inFront();
      box.current?.firstElementChild?.dispatchEvent(new Event(redraw));
    });
  }, [lifted, lines]);
  return (
    <div ref={box}>
      <TimeChart
        name={name}
        label="Prices of the chosen markets over time. Arrow keys move the cursor, plus and minus zoom, Shift and arrows pan, 0 shows all"
        textAt={textAt}
        valueAt={valueAt}
        height={heightPx}
        data={data}
        drawn={drawn}
        optionsOf={optionsOf}
        nav={nav}
        cursor={cursor}
      />
    </div>
  );
};

/** The line that is nearest to the pointer, if one is near. */
const nearest = (plot: uPlot, lines: readonly Line[]): string | undefined => {
  const { top = -1, idx } = plot.cursor;
  if (top < 0 || idx === null || idx === undefined) return undefined;
  let [best, distance]: [string | undefined, number] = [undefined, liftPx];
  for (const { ticker, prices } of lines) {
    const value = prices[idx] ?? null;
    if (value === null) continue;
    const away = Math.abs(plot.valToPos(value, 'y') - top);
    if (away < distance) [best, distance] = [ticker, away];
  }
  return best;
};

const eventOptions = (colors: Colors, drawn: () => Drawn, tickers: readonly string[]): ChartOptions => {
  const theme = isDark() ? 'dark' : 'light';
  const strokeOf = (at: number): string => {
    const lifted = drawn().lifted.get();
    const isBehind = lifted !== undefined && lifted !== tickers[at] && tickers.includes(lifted);
    return lineColor(at, theme, isBehind);
  };
  const ends = (plot: uPlot) => {
    const [first, last] = plot.series[0]?.idxs ?? [0, -1];
    const { lines, names } = drawn();
    return lines.flatMap(({ prices }, at) => {
      const value = prices.slice(first, last + 1).findLast((one) => one !== null);
      return value === undefined || value === null ? [] : [{ text: names[at] ?? '', color: strokeOf(at), value }];
    });
  };
  return {
    padding: [10, labelsPx, 6, 0],
    scales: { y: { range: (plot) => (drawn().isFull ? [0, 1] : pricesInSight(plot)) } },
    axes: axesOf(colors, { valueOf: (value, digits) => price(value, Math.max(2, digits)), hasTimes: false }),
    series: [
      {},
      ...tickers.map((label, at) => ({
        label,
        stroke: () => strokeOf(at),
        width: 1.5,
        points: { show: (plot: uPlot) => plot.data[0].length < 3 },
        paths: steps,
        auto: false,
      })),
    ],
    hooks: {
      drawClear: [(plot: uPlot) => drawEventGaps(plot, drawn().gaps, colors)],
      draw: [(plot: uPlot) => drawLabels(plot, ends(plot), labelsPx)],
      setCursor: [
        (plot: uPlot) => {
          const { lines, lifted } = drawn();
          const next = nearest(plot, lines);
          if (next !== lifted.get()) lifted.set(next);
        },
      ],
      ready: [(plot: uPlot) => plot.root.parentElement?.addEventListener(redraw, () => plot.redraw(true, false))],
    },
  };
};

/** A gap of all drawn markets is as dark as that of one market, one of some of them lighter. */
const drawEventGaps = (plot: uPlot, gaps: readonly ChartedGap[], colors: Colors): void => {
  for (const { gap, share } of gaps) {
    plot.ctx.save();
    plot.ctx.globalAlpha = share;
    drawGaps(plot, [gap], colors);
    plot.ctx.restore();
  }
};
