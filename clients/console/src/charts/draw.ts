import type { CoverageGap, Trade } from '@almanac/client';
import type uPlot from 'uplot';
import type { Colors } from './colors.js';
import type { PricePoint } from './price-points.js';
import { columnsOfPlot, fillBetween, fillSteps, numbersOf, pixelsOf } from './steps.js';

/** Horizontal pixels of a time on the canvas. */
const xOf = (plot: uPlot, ts: number): number => Math.round(plot.valToPos(ts, 'x', true));

/** Draws inside of the plot only. */
const clipped = (plot: uPlot, draw: (context: CanvasRenderingContext2D) => void): void => {
  const { ctx, bbox } = plot;
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  draw(ctx);
  ctx.restore();
};

/** Shades what was not recorded. Where only books are missing, prices are known and the shade is half as high. */
export const drawGaps = (plot: uPlot, gaps: readonly CoverageGap[], colors: Colors): void =>
  clipped(plot, (context) => {
    const { top, height } = plot.bbox;
    context.fillStyle = colors.gap;
    const { min, max } = plot.scales['x'] ?? {};
    for (const { start_ts, end_ts, missing } of gaps) {
      if (start_ts > (max ?? Infinity) || (end_ts ?? Infinity) < (min ?? 0)) continue;
      const left = xOf(plot, start_ts);
      const right = end_ts === null ? plot.bbox.left + plot.bbox.width : xOf(plot, end_ts);
      const share = missing === 'all' ? 1 : 0.12;
      context.fillRect(left, top + height * (1 - share), Math.max(1, right - left), height * share);
    }
  });

export interface Mark {
  readonly ts: number;
  readonly text: string;
  readonly color: string;
}

/** Vertical lines with a word: open, close, settlement. */
export const drawMarks = (plot: uPlot, marks: readonly Mark[]): void =>
  clipped(plot, (context) => {
    const { top, height, left, width } = plot.bbox;
    const px = devicePixelRatio;
    context.font = `${11 * px}px system-ui, sans-serif`;
    context.textBaseline = 'top';
    context.setLineDash([4 * px, 3 * px]);
    marks.forEach(({ ts, text, color }, at) => {
      const x = xOf(plot, ts);
      context.strokeStyle = color;
      context.fillStyle = color;
      context.lineWidth = px;
      context.beginPath();
      context.moveTo(x, top);
      context.lineTo(x, top + height);
      context.stroke();
      const isRight = x > left + width / 2;
      context.textAlign = isRight ? 'right' : 'left';
      context.fillText(text, x + (isRight ? -5 : 5) * px, top + (4 + at * 14) * px);
    });
  });

/** A series as a line in steps. It draws by itself, because the browser fills rectangles faster than it strokes long paths. */
export const steps: uPlot.Series.PathBuilder = (plot, at) => {
  const { stroke, width = 1 } = plot.series[at] ?? {};
  const thick = Math.max(1, Math.round(width * devicePixelRatio));
  const offset = Math.floor(thick / 2);
  clipped(plot, (context) => {
    context.fillStyle = typeof stroke === 'function' ? (stroke as (plot: uPlot, at: number) => string)(plot, at) : '';
    const fill = (left: number, top: number, wide: number, high: number): void =>
      context.fillRect(left - offset, top - offset, wide + thick, high + thick);
    fillSteps(fill, numbersOf(plot.data[at] ?? []), columnsOfPlot(plot), pixelsOf(plot).y);
  });
  return null;
};

/** The candles of one column of pixels. */
interface Candle {
  readonly left: number;
  readonly width: number;
  readonly open: number;
  close: number;
  high: number;
  low: number;
}

/** The candles in sight. Those that share a column of pixels are one, from the first open to the last close. */
const candlesIn = (plot: uPlot, points: readonly PricePoint[]): Candle[] => {
  const { x } = pixelsOf(plot);
  const columns = columnsOfPlot(plot);
  const candles: Candle[] = [];
  for (let at = columns.first[0] ?? 0; at < (columns.end[columns.count - 1] ?? 0); at += 1) {
    const { ts = 0, span_s = 0, open = null, high = null, low = null, mid = null } = points[at] ?? {};
    if (open === null || high === null || low === null || mid === null) continue;
    const left = x(ts);
    const before = candles.at(-1);
    if (before?.left === left) {
      before.close = mid;
      before.high = Math.max(before.high, high);
      before.low = Math.min(before.low, low);
    } else candles.push({ left, width: Math.max(1, x(ts + span_s) - left), open, close: mid, high, low });
  }
  return candles;
};

/** A body from open to close and a line from low to high. */
export const drawCandles = (plot: uPlot, points: readonly PricePoint[], colors: Colors): void =>
  clipped(plot, (context) => {
    const { y } = pixelsOf(plot);
    const pen = Math.max(1, Math.round(devicePixelRatio));
    for (const { left, width, open, close, high, low } of candlesIn(plot, points)) {
      const middle = Math.round(left + width / 2);
      context.fillStyle = close >= open ? colors.bid : colors.ask;
      context.fillRect(middle, y(high), pen, Math.max(1, y(low) - y(high)));
      const body = Math.max(1, Math.floor(width * 0.7));
      const height = Math.max(1, Math.abs(y(open) - y(close)));
      context.fillRect(Math.round(middle - body / 2), y(Math.max(open, close)), body, height);
    }
  });

/** Fills what is between two series, where both have a value. */
export const drawBand = (plot: uPlot, [upper, lower]: readonly [number, number], color: string): void =>
  clipped(plot, (context) => {
    context.fillStyle = color;
    const lines = { upper: numbersOf(plot.data[upper] ?? []), lower: numbersOf(plot.data[lower] ?? []) };
    const fill = (...[left, top, width, height]: Parameters<typeof context.fillRect>): void =>
      context.fillRect(left, top, width, height);
    fillBetween(fill, lines, columnsOfPlot(plot), pixelsOf(plot).y);
  });

const radiusMin = 1.5;
const radiusMax = 7;

/** A dot for each trade, larger for more contracts, in the colour of the side that the taker bought. */
export const drawTrades = (plot: uPlot, trades: readonly Trade[], colors: Colors): void =>
  clipped(plot, (context) => {
    const { x, y } = pixelsOf(plot);
    const { min, max } = plot.scales['x'] ?? {};
    const sides = { bid: new Path2D(), ask: new Path2D() };
    for (const { ts, price, size, taker_side } of trades) {
      if (ts < (min ?? 0) || ts > (max ?? 0)) continue;
      const radius = Math.min(radiusMax, radiusMin + Math.log10(1 + size)) * devicePixelRatio;
      const dots = sides[taker_side === 'no' ? 'ask' : 'bid'];
      dots.moveTo(x(ts) + radius, y(price));
      dots.arc(x(ts), y(price), radius, 0, 2 * Math.PI);
    }
    context.globalAlpha = 0.75;
    context.lineWidth = devicePixelRatio;
    context.strokeStyle = colors.surface;
    for (const side of ['bid', 'ask'] as const) {
      context.fillStyle = colors[side];
      context.fill(sides[side]);
      context.stroke(sides[side]);
    }
  });

/** Bars at the foot of the plot. In one column of pixels, the highest counts. */
export const drawVolume = (plot: uPlot, { points, volumes, most }: VolumeBars, colors: Colors): void =>
  clipped(plot, (context) => {
    if (most === 0) return;
    const { x } = pixelsOf(plot);
    const { top, height } = plot.bbox;
    const columns = columnsOfPlot(plot);
    context.globalAlpha = 0.28;
    context.fillStyle = colors['text-soft'];
    for (let column = 0; column < columns.count; column += 1) {
      const [left, first, end] = [columns.left[column] ?? 0, columns.first[column] ?? 0, columns.end[column] ?? 0];
      let volume = 0;
      for (let at = first; at < end; at += 1) volume = Math.max(volume, volumes[at] ?? 0);
      if (volume === 0) continue;
      const { ts = 0, span_s = 0 } = points[end - 1] ?? {};
      const bar = Math.max(1, Math.round((volume / most) * height * 0.18));
      context.fillRect(left, top + height - bar, Math.max(1, x(ts + span_s) - left - 1), bar);
    }
  });

export interface VolumeBars {
  readonly points: readonly PricePoint[];
  readonly volumes: Float64Array;
  /** The volume of the highest bar. */
  readonly most: number;
}

export const volumeBarsOf = (points: readonly PricePoint[]): VolumeBars => {
  const volumes = Float64Array.from(points, ({ volume }) => volume ?? 0);
  return { points, volumes, most: volumes.reduce((most, volume) => Math.max(most, volume), 0) };
};
