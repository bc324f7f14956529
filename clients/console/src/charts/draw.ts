import type { CoverageGap, Trade } from '@almanac/client';
import type uPlot from 'uplot';
import type { Colors } from './colors.js';
import type { PricePoint } from './price-points.js';
import { bodyShare } from './periods.js';
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
export const drawMarks = (plot: uPlot, marks: readonly Mark[], ground: string): void =>
  clipped(plot, (context) => {
    const { top, height, left, width } = plot.bbox;
    const px = devicePixelRatio;
    context.font = `${11 * px}px system-ui, sans-serif`;
    context.textBaseline = 'bottom';
    context.setLineDash([4 * px, 3 * px]);
    for (const { ts, color } of marks) {
      context.strokeStyle = color;
      context.lineWidth = px;
      context.beginPath();
      context.moveTo(xOf(plot, ts), top);
      context.lineTo(xOf(plot, ts), top + height);
      context.stroke();
    }
    marks.forEach(({ ts, text, color }, at) => {
      const x = xOf(plot, ts);
      const isRight = x > left + width / 2;
      const foot = top + height - (4 + at * 14) * px;
      const wide = context.measureText(text).width + 6 * px;
      // The line of another mark would cross the word.
      context.fillStyle = ground;
      context.fillRect(isRight ? x - 2 * px - wide : x + 2 * px, foot - 13 * px, wide, 14 * px);
      context.fillStyle = color;
      context.textAlign = isRight ? 'right' : 'left';
      context.fillText(text, x + (isRight ? -5 : 5) * px, foot);
    });
  });

/** A dashed line at a value, such as a strike, with its name. */
export const drawLevel = (
  plot: uPlot,
  { value, text }: { readonly value: number; readonly text: string },
  colors: Colors,
): void =>
  clipped(plot, (context) => {
    const { left, width } = plot.bbox;
    const px = devicePixelRatio;
    const y = Math.round(plot.valToPos(value, 'y', true));
    context.strokeStyle = colors['text-soft'];
    context.lineWidth = px;
    context.setLineDash([4 * px, 3 * px]);
    context.beginPath();
    context.moveTo(left, y);
    context.lineTo(left + width, y);
    context.stroke();
    context.font = `${11 * px}px system-ui, sans-serif`;
    context.textBaseline = 'bottom';
    context.textAlign = 'left';
    // A line of the chart would cross the word.
    context.fillStyle = colors.surface;
    context.fillRect(left + 2 * px, y - 16 * px, context.measureText(text).width + 6 * px, 14 * px);
    context.fillStyle = colors['text-soft'];
    context.fillText(text, left + 5 * px, y - 2 * px);
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

/** A body from open to close and a line from low to high. Whoever reads it sees which way it went, or that it did not. */
export const drawCandles = (plot: uPlot, points: readonly PricePoint[], colors: Colors): void =>
  clipped(plot, (context) => {
    const { x, y } = pixelsOf(plot);
    const { min = 0, max = 0 } = plot.scales['x'] ?? {};
    const pen = Math.max(1, Math.round(devicePixelRatio));
    for (const { ts, span_s, open, high, low, mid: close } of points) {
      if (open === null || high === null || low === null || close === null || ts + span_s < min || ts > max) continue;
      const [left, right] = [x(ts), x(ts + span_s)];
      const body = Math.max(1, Math.round((right - left) * bodyShare));
      const middle = Math.round((left + right) / 2);
      context.fillStyle = close === open ? colors['text-soft'] : close > open ? colors.bid : colors.ask;
      context.fillRect(middle - Math.floor(pen / 2), y(high), pen, Math.max(1, y(low) - y(high)));
      const height = Math.max(pen, Math.abs(y(open) - y(close)));
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

/** Contracts that takers bought of yes and of no, by the column of pixels. */
export const tradeColumns = (trades: readonly Trade[], x: (ts: number) => number): ReadonlyMap<number, TradeColumn> => {
  const columns = new Map<number, TradeColumn>();
  for (const { ts, size, taker_side } of trades) {
    const left = x(ts);
    const column = columns.get(left) ?? { yes: 0, no: 0 };
    column[taker_side === 'no' ? 'no' : 'yes'] += size;
    columns.set(left, column);
  }
  return columns;
};

export interface TradeColumn {
  yes: number;
  no: number;
}

/** A tick for each column of pixels with trades: up where takers bought yes, down where they bought no, longer for more. */
export const drawTradeTicks = (plot: uPlot, trades: readonly Trade[], colors: Colors): void =>
  clipped(plot, (context) => {
    const { left, top, width, height } = plot.bbox;
    const middle = Math.round(top + height / 2);
    const pen = Math.max(1, Math.round(devicePixelRatio));
    context.fillStyle = colors.grid;
    context.fillRect(left, middle, width, pen);
    const columns = tradeColumns(trades, pixelsOf(plot).x);
    const most = [...columns.values()].reduce((sum, { yes, no }) => Math.max(sum, yes, no), 0);
    const lengthOf = (size: number): number =>
      size === 0 ? 0 : Math.max(2 * pen, Math.round((Math.log1p(size) / Math.log1p(most)) * (height / 2 - pen)));
    for (const [at, { yes, no }] of columns) {
      context.fillStyle = colors.bid;
      context.fillRect(at, middle - lengthOf(yes), pen, lengthOf(yes));
      context.fillStyle = colors.ask;
      context.fillRect(at, middle + pen, pen, lengthOf(no));
    }
  });

/** A bar for each candle with trades. In one column of pixels, the highest counts. */
export const drawVolume = (plot: uPlot, points: readonly PricePoint[], colors: Colors): void =>
  clipped(plot, (context) => {
    const { x, y } = pixelsOf(plot);
    const columns = columnsOfPlot(plot);
    const volumes = numbersOf(plot.data[1] ?? []);
    const foot = y(0);
    context.globalAlpha = 0.55;
    for (let column = 0; column < columns.count; column += 1) {
      const [left, first, end] = [columns.left[column] ?? 0, columns.first[column] ?? 0, columns.end[column] ?? 0];
      let volume = 0;
      for (let at = first; at < end; at += 1) volume = Math.max(volume, volumes[at] || 0);
      if (volume === 0) continue;
      const { ts = 0, span_s = 0, open = null, mid = null } = points[end - 1] ?? {};
      context.fillStyle =
        open === null || mid === null || open === mid ? colors['text-soft'] : mid > open ? colors.bid : colors.ask;
      const width = x(ts + span_s) - left;
      const gap = width > 3 ? Math.max(1, Math.round(width * (1 - bodyShare))) : 0;
      const top = Math.min(foot - 1, y(volume));
      context.fillRect(left + Math.floor(gap / 2), top, Math.max(1, width - gap), foot - top);
    }
  });
