import { type ReactNode, useCallback, useMemo } from 'react';
import type uPlot from 'uplot';
import type { AlignedData } from 'uplot';
import { axesOf } from '../../charts/axes.js';
import { type Colors, useThemeName } from '../../charts/colors.js';
import { canvasOf, drawImageOf, type PlotImage, type Rgba } from '../../charts/image-layer.js';
import { useSignal } from '../../charts/signal.js';
import { type ChartOptions, TimeChart } from '../../charts/time-chart.js';
import { price } from '../../format/numbers.js';
import { dateTime } from '../../format/time.js';
import { indexAt } from '../../charts/index-at.js';
import { type EventChartProps, labelsPx } from './event-chart.js';
import type { Line } from './event-data.js';
import { drawLabels } from './line-labels.js';
import { gridOf, type PriceGrid, timesOf } from './price-grid.js';

/** The lines of all markets in the order of the rows, the lowest first. */
type HeatmapProps = Omit<EventChartProps, 'gaps' | 'isFull' | 'name'>;

const rowsMax = 400;
/** More shades than a screen can show. */
const shadesN = 1_000;
const heightMaxPx = window.innerWidth < 700 ? 320 : 460;
const heightMinPx = 120;
const rowPx = 30;
const namePx = 14;

/** One hue from the ground to the accent, so that it reads the same for those who cannot tell colours apart. */
const rampOf = (theme: string): ((share: number) => Rgba) => {
  const [from, to] =
    theme === 'dark'
      ? ([
          [24, 32, 52],
          [150, 185, 255],
        ] as const)
      : ([
          [232, 239, 252],
          [18, 56, 170],
        ] as const);
  return (share) => {
    const [red = 0, green = 0, blue = 0] = from.map((low, at) => Math.round(low + ((to[at] ?? 0) - low) * share));
    return [red, green, blue, 255];
  };
};

interface Drawn {
  readonly image: PlotImage | undefined;
  readonly grid: PriceGrid;
  readonly nameOf: (ticker: string) => string;
  readonly lifted: EventChartProps['lifted'];
}

/** Markets by time: each row is a market, and its colour the price. Where nothing is known, it is empty. */
export const HeatmapChart = ({ lines, nameOf, lifted, nav, cursor }: HeatmapProps): ReactNode => {
  const theme = useThemeName();
  const grid = useMemo(() => gridOf(lines, rowsMax), [lines]);
  const ts = timesOf(lines);
  const image = useMemo(() => imageOf(grid, ts, theme), [grid, ts, theme]);
  const drawn = useMemo(() => ({ image, grid, nameOf, lifted }), [image, grid, nameOf, lifted]);
  // The lines are cells: uPlot has only their times.
  const data = useMemo(() => [[...ts], ts.map(() => null)] as AlignedData, [ts]);
  const cells = useCallback(() => {
    const read = lines.filter(({ prices }) => prices.length > 0);
    return Object.fromEntries(read.map(({ ticker, prices }) => [ticker, prices]));
  }, [lines]);
  const rowName = useCallback((row: number) => nameOfRow(grid.rows[row], nameOf), [grid, nameOf]);
  const valueAt = useMemo(
    () => ({
      at: () => {
        const row = grid.rows.findIndex((tickers) => tickers.includes(lifted.get() ?? ''));
        return row < 0 ? undefined : row + 0.5;
      },
      text: (value: number) => rowName(Math.floor(value)),
    }),
    [grid, lifted, rowName],
  );
  const textAt = useCallback((at: number) => textOf(lines, at), [lines]);
  const shared = { nav, cursor, valueAt, data, drawn, cells, textAt };
  return (
    <>
      <Readout lines={lines} nameOf={nameOf} lifted={lifted} cursor={cursor} />
      <TimeChart
        name="heatmap"
        label="Prices of all markets over time, a row each. Arrow keys move the cursor, plus and minus zoom, Shift and arrows pan, 0 shows all"
        height={Math.min(heightMaxPx, Math.max(heightMinPx, lines.length * rowPx))}
        optionsOf={optionsOf}
        {...shared}
      />
    </>
  );
};

/** The market under the pointer with its price at the cursor, and what the colours mean. */
const Readout = ({ lines, nameOf, lifted, cursor }: Omit<HeatmapProps, 'nav'>): ReactNode => {
  const at = useSignal(cursor);
  const ticker = useSignal(lifted);
  const line = useMemo(() => lines.find((one) => one.ticker === ticker), [lines, ticker]);
  return (
    <dl className="readout">
      <div>
        <dt className="visually-hidden">Colours</dt>
        <dd className="ramp">
          0 <span aria-hidden="true" /> 1
        </dd>
      </div>
      {line === undefined || at === undefined ? null : (
        <div data-lifted={ticker}>
          <dt>{nameOf(line.ticker)}</dt>
          <dd>{price(line.prices[indexAt(line.ts, at)])}</dd>
        </div>
      )}
    </dl>
  );
};

const nameOfRow = (tickers: readonly string[] | undefined, nameOf: (ticker: string) => string): string => {
  const [first, last] = [tickers?.[0], tickers?.at(-1)];
  if (first === undefined || last === undefined) return '';
  return first === last ? nameOf(first) : `${nameOf(first)} – ${nameOf(last)}`;
};

const textOf = (lines: readonly Line[], at: number): string => {
  let [best, highest]: [string, number] = ['no price is known', -1];
  // All lines have the same times.
  const index = indexAt(timesOf(lines), at);
  for (const { ticker, prices } of lines) {
    const value = prices[index] ?? -1;
    if (value > highest) [best, highest] = [`the highest price is ${price(value)} of ${ticker}`, value];
  }
  return `${dateTime(Math.round(at))}: ${best}`;
};

/** A cell lasts until the next time. */
const imageOf = ({ rows, columns, values }: PriceGrid, ts: readonly number[], theme: string): PlotImage | undefined => {
  const [from, second] = ts;
  const last = ts.at(-1);
  if (from === undefined || last === undefined || rows.length === 0) return undefined;
  const ramp = rampOf(theme);
  const shades = Array.from({ length: shadesN + 1 }, (_, at) => ramp(at / shadesN));
  const canvas = canvasOf({
    columns,
    rows: rows.length,
    colorOf: (row, column) => {
      const value = values[row * columns + column] ?? Number.NaN;
      return Number.isNaN(value) ? undefined : shades[Math.round(value * shadesN)];
    },
  });
  return { canvas, window: { from, to: last + ((second ?? from + 1) - from) }, low: 0, high: rows.length };
};

const optionsOf = (colors: Colors, drawn: () => Drawn): ChartOptions => {
  const [times, values] = axesOf(colors, { valueOf: () => '', hasTimes: false });
  return {
    padding: [24, labelsPx, 6, 0],
    scales: { y: { range: () => [0, Math.max(1, drawn().grid.rows.length)] } },
    axes: [times ?? {}, values ?? {}].map((axis) => ({ ...axis, grid: { show: false } })),
    series: [{}, { label: 'cells', show: false, auto: false }],
    hooks: {
      drawClear: [
        (plot: uPlot) => {
          const { left, top, width, height } = plot.bbox;
          plot.ctx.fillStyle = colors.gap;
          plot.ctx.fillRect(left, top, width, height);
          const { image } = drawn();
          if (image !== undefined) drawImageOf(plot, image);
        },
      ],
      draw: [(plot: uPlot) => drawLabels(plot, namesOf(plot, drawn(), colors['text-soft']), labelsPx)],
      setCursor: [
        (plot: uPlot) => {
          const { top = -1 } = plot.cursor;
          const { grid, lifted } = drawn();
          const ticker = top < 0 ? undefined : grid.rows[Math.floor(plot.posToVal(top, 'y'))]?.[0];
          if (ticker !== lifted.get()) lifted.set(ticker);
        },
      ],
    },
  };
};

/** The names of as many rows as have space. */
const namesOf = (plot: uPlot, { grid: { rows }, nameOf }: Drawn, color: string) => {
  const every = Math.ceil((rows.length * namePx * devicePixelRatio) / plot.bbox.height);
  return rows.flatMap((tickers, row) =>
    row % every === 0 ? [{ text: nameOfRow(tickers.slice(0, 1), nameOf), color, value: row + 0.5 }] : [],
  );
};
