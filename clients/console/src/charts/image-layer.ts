import type uPlot from 'uplot';
import { pixelsOf } from './steps.js';
import type { Window } from './window.js';

/** A picture with one pixel for each cell, and the stretch of time and the values that it covers. */
export interface PlotImage {
  readonly canvas: HTMLCanvasElement;
  readonly window: Window;
  readonly low: number;
  readonly high: number;
}

export type Rgba = readonly [red: number, green: number, blue: number, alpha: number];

export interface Cells {
  readonly columns: number;
  readonly rows: number;
  /** The colour of a cell. Row 0 is the lowest. Undefined: nothing is drawn. */
  readonly colorOf: (row: number, column: number) => Rgba | undefined;
}

export const canvasOf = ({ columns, rows, colorOf }: Cells): HTMLCanvasElement => {
  const canvas = document.createElement('canvas');
  Object.assign(canvas, { width: Math.max(1, columns), height: Math.max(1, rows) });
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  const pixels = context.createImageData(canvas.width, canvas.height);
  for (let row = 0; row < rows; row += 1) {
    for (let column = 0; column < columns; column += 1) {
      const color = colorOf(row, column);
      // Rows of an image go down, values go up.
      if (color !== undefined) pixels.data.set(color, ((rows - 1 - row) * columns + column) * 4);
    }
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
};

/** Draws the picture where its times and values are in the chart. */
export const drawImageOf = (plot: uPlot, { canvas, window, low, high }: PlotImage, alpha = 1): void => {
  const { ctx, bbox } = plot;
  const { x, y } = pixelsOf(plot);
  ctx.save();
  ctx.beginPath();
  ctx.rect(bbox.left, bbox.top, bbox.width, bbox.height);
  ctx.clip();
  ctx.imageSmoothingEnabled = false;
  ctx.globalAlpha = alpha;
  ctx.drawImage(canvas, x(window.from), y(high), x(window.to) - x(window.from), y(low) - y(high));
  ctx.restore();
};
