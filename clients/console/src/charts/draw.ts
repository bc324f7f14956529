import type { CoverageGap, Trade } from '@almanac/client';
import type uPlot from 'uplot';
import type { Colors } from './colors.js';
import type { PricePoint } from './price-points.js';

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
    for (const { start_ts, end_ts, missing } of gaps) {
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

/** A body from open to close and a line from low to high. */
export const drawCandles = (plot: uPlot, points: readonly PricePoint[], colors: Colors): void =>
  clipped(plot, (context) => {
    for (const { ts, span_s, open, high, low, mid } of points) {
      if (open === null || high === null || low === null || mid === null) continue;
      const left = xOf(plot, ts);
      const width = Math.max(1, xOf(plot, ts + span_s) - left);
      const middle = Math.round(left + width / 2);
      const y = (price: number): number => Math.round(plot.valToPos(price, 'y', true));
      context.fillStyle = mid >= open ? colors.bid : colors.ask;
      context.fillRect(middle, y(high), Math.max(1, Math.round(devicePixelRatio)), Math.max(1, y(low) - y(high)));
      const body = Math.max(1, Math.floor(width * 0.7));
      context.fillRect(
        Math.round(middle - body / 2),
        y(Math.max(open, mid)),
        body,
        Math.max(1, Math.abs(y(open) - y(mid))),
      );
    }
  });

const radiusMin = 1.5;
const radiusMax = 7;

/** A dot for each trade, larger for more contracts, in the colour of the side that the taker bought. */
export const drawTrades = (plot: uPlot, trades: readonly Trade[], colors: Colors): void =>
  clipped(plot, (context) => {
    const { min = 0, max = 0 } = plot.scales['x'] ?? {};
    context.globalAlpha = 0.75;
    context.lineWidth = devicePixelRatio;
    context.strokeStyle = colors.surface;
    for (const { ts, price, size, taker_side } of trades) {
      if (ts < (min ?? 0) || ts > (max ?? 0)) continue;
      const radius = Math.min(radiusMax, radiusMin + Math.log10(1 + size)) * devicePixelRatio;
      context.fillStyle = taker_side === 'no' ? colors.ask : colors.bid;
      context.beginPath();
      context.arc(xOf(plot, ts), plot.valToPos(price, 'y', true), radius, 0, 2 * Math.PI);
      context.fill();
      context.stroke();
    }
  });

/** Bars at the foot of the plot. */
export const drawVolume = (plot: uPlot, points: readonly PricePoint[], colors: Colors): void =>
  clipped(plot, (context) => {
    const { top, height } = plot.bbox;
    const most = points.reduce((max, { volume }) => Math.max(max, volume ?? 0), 0);
    if (most === 0) return;
    context.globalAlpha = 0.28;
    context.fillStyle = colors['text-soft'];
    for (const { ts, span_s, volume } of points) {
      if (volume === null || volume === 0) continue;
      const left = xOf(plot, ts);
      const bar = Math.max(1, Math.round((volume / most) * height * 0.18));
      context.fillRect(left, top + height - bar, Math.max(1, xOf(plot, ts + span_s) - left - 1), bar);
    }
  });
