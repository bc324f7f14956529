import type { Heatmap } from './heatmap.js';
import { strengthOf } from './heatmap.js';
import { canvasOf, type PlotImage } from './image-layer.js';
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

/** Order books as a picture for the price chart. */
export type DepthImage = PlotImage;

/** One pixel for each cell, in the colour of its side. */
export const depthImageOf = (map: Heatmap, window: Window, theme: 'light' | 'dark'): DepthImage => {
  const [bid, ask] = sides[theme];
  const canvas = canvasOf({
    columns: map.columns,
    rows: map.rows,
    colorOf: (row, column) => {
      const cell = row * map.columns + column;
      const [bids, asks] = [map.bids[cell] ?? Number.NaN, map.asks[cell] ?? Number.NaN];
      const size = Math.max(bids, asks);
      if (Number.isNaN(size)) return undefined;
      return [...(bids >= asks ? bid : ask), strengthOf(size, map.sizeMax) * alphaMax];
    },
  });
  // A level is a band around its price: a price is at the lower end of its row.
  const half = map.priceStep / 2;
  return { canvas, window, low: map.priceMin - half, high: map.priceMin + map.rows * map.priceStep - half };
};
