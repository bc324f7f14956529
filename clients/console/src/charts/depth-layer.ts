import type uPlot from 'uplot';
import type { Heatmap } from './heatmap.js';
import { strengthOf } from './heatmap.js';
import { pixelsOf } from './steps.js';
import type { Window } from './window.js';

type Rgb = readonly [red: number, green: number, blue: number];
const sides: Readonly<Record<'light' | 'dark', readonly [bid: Rgb, ask: Rgb]>> = {
  dark: [
    [86, 201, 143],
    [255, 138, 128],
  ],
  light: [
    [11, 112, 67],
    [179, 38, 30],
  ],
};
/** Lines of prices are drawn over it. */
const alphaMax = 190;

/** Order books as a picture for the price chart, with the stretch of time and the prices that it covers. */
export interface DepthImage {
  readonly canvas: HTMLCanvasElement;
  readonly window: Window;
  readonly low: number;
  readonly high: number;
}

/** One pixel for each cell, in the colour of its side. */
export const depthImageOf = (map: Heatmap, window: Window, theme: 'light' | 'dark'): DepthImage => {
  const canvas = document.createElement('canvas');
  canvas.width = map.columns;
  canvas.height = map.rows;
  const high = map.priceMin + map.rows * map.priceStep;
  const image = { canvas, window, low: map.priceMin, high };
  const context = canvas.getContext('2d');
  if (context === null) return image;
  const pixels = context.createImageData(map.columns, map.rows);
  const [bid, ask] = sides[theme];
  for (let cell = 0; cell < map.rows * map.columns; cell += 1) {
    const [bids, asks] = [map.bids[cell] ?? Number.NaN, map.asks[cell] ?? Number.NaN];
    const size = Math.max(bids, asks);
    if (Number.isNaN(size)) continue;
    const [row, column] = [Math.floor(cell / map.columns), cell % map.columns];
    // Rows of an image go down, prices go up.
    const at = ((map.rows - 1 - row) * map.columns + column) * 4;
    pixels.data.set([...(bids >= asks ? bid : ask), strengthOf(size, map.sizeMax) * alphaMax], at);
  }
  context.putImageData(pixels, 0, 0);
  return image;
};

/** Draws the books where their times and prices are in the chart. */
export const drawDepth = (plot: uPlot, { canvas, window, low, high }: DepthImage): void => {
  const { ctx, bbox } = plot;
  const { x, y } = pixelsOf(plot);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.imageSmoothingEnabled = false;
  // A level is a band around its price: a price is at the lower end of its row.
  const half = (high - low) / canvas.height / 2;
  const top = y(high - half);
  ctx.drawImage(canvas, x(window.from), top, x(window.to) - x(window.from), y(low - half) - top);
  ctx.restore();
};
