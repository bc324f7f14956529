import type uPlot from 'uplot';
import type { Colors } from './colors.js';

/** A value that somebody has marked, with its text at the axis. */
export interface PriceLine {
  readonly value: number;
  readonly text: string;
}

const labelPx = 18;
const padPx = 4;

/** A line over the whole width, with its value at the axis. One that is out of sight has an arrow at the edge where it would be. */
export const drawPriceLines = (plot: uPlot, lines: readonly PriceLine[], colors: Colors): void => {
  const { ctx: context, bbox } = plot;
  const { left, top, width, height } = bbox;
  const px = devicePixelRatio;
  const { min = 0, max = 1 } = plot.scales['y'] ?? {};
  for (const { value, text } of lines) {
    const half = (labelPx * px) / 2;
    const y = Math.round(Math.min(top + height, Math.max(top, plot.valToPos(value, 'y', true))));
    const isInside = value >= min && value <= max;
    context.save();
    context.fillStyle = colors.warn;
    context.strokeStyle = colors.warn;
    context.lineWidth = px;
    if (isInside) {
      context.setLineDash([6 * px, 3 * px]);
      context.beginPath();
      context.moveTo(left, y);
      context.lineTo(left + width, y);
      context.stroke();
    }
    const middle = Math.min(top + height - half, Math.max(top + half, y));
    context.fillRect(0, middle - half, left - padPx * px, 2 * half);
    context.fillStyle = colors.surface;
    context.font = `600 ${11 * px}px system-ui, sans-serif`;
    context.textAlign = 'right';
    context.textBaseline = 'middle';
    const arrow = isInside ? '' : value > max ? '↑ ' : '↓ ';
    context.fillText(`${arrow}${text}`, left - 2 * padPx * px, middle);
    context.restore();
  }
};
