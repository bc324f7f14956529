import type uPlot from 'uplot';

export interface LineLabel {
  readonly text: string;
  readonly color: string;
  /** The last value in sight. */
  readonly value: number;
}

const linePx = 13;
const marginPx = 10;

/** Names at the right ends of lines in so many pixels, moved apart where ends are close to each other. */
export const drawLabels = (plot: uPlot, labels: readonly LineLabel[], widthPx: number): void => {
  const { ctx, bbox } = plot;
  const px = devicePixelRatio;
  const height = linePx * px;
  ctx.save();
  ctx.font = `${11 * px}px system-ui, sans-serif`;
  ctx.textBaseline = 'middle';
  ctx.textAlign = 'left';
  const left = bbox.left + bbox.width + 4 * px;
  const placed = labels
    .map((label) => ({ ...label, end: plot.valToPos(label.value, 'y', true) }))
    .toSorted((one, other) => one.end - other.end);
  const bottom = bbox.top + bbox.height + height / 2;
  let last = -Infinity;
  const tops = placed.map(({ end }, at) => {
    const rest = (placed.length - 1 - at) * height;
    last = Math.max(last + height, Math.min(end, bottom - rest - height / 2));
    return last;
  });
  placed.forEach(({ text, color, end }, at) => {
    const y = tops[at] ?? end;
    ctx.strokeStyle = color;
    ctx.lineWidth = px;
    ctx.beginPath();
    ctx.moveTo(bbox.left + bbox.width, end);
    ctx.lineTo(left, y);
    ctx.stroke();
    ctx.fillStyle = color;
    ctx.fillText(shortened(ctx, text, (widthPx - marginPx) * px), left + 3 * px, y);
  });
  ctx.restore();
};

const known = new Map<string, string>();
const knownMax = 5_000;

/** A frame draws the same names as the one before. */
const shortened = (ctx: CanvasRenderingContext2D, text: string, most: number): string => {
  const key = `${ctx.font} ${most} ${text}`;
  const before = known.get(key);
  if (before !== undefined) return before;
  if (known.size >= knownMax) known.clear();
  const short = measured(ctx, text, most);
  known.set(key, short);
  return short;
};

const measured = (ctx: CanvasRenderingContext2D, text: string, most: number): string => {
  if (ctx.measureText(text).width <= most) return text;
  let end = text.length;
  while (end > 1 && ctx.measureText(`${text.slice(0, end)}…`).width > most) end -= 1;
  return `${text.slice(0, end).trimEnd()}…`;
};
