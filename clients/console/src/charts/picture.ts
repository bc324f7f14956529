import { colorsNow } from './colors.js';
import { escaped } from './recorded-marks.js';
import type { DrawnElement } from './time-chart.js';
import { csvOf, type DrawnTable } from './drawn-csv.js';

/** What a picture says about itself. */
export interface PictureTexts {
  readonly title: string;
  /** The archive, the market and the time in sight. */
  readonly source: string;
}

const headPx = 34;
const footPx = 26;
const marginPx = 12;

interface Pane {
  readonly chart: DrawnElement | undefined;
  readonly canvas: HTMLCanvasElement;
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

/** The canvases of a stack at their places in it. */
const panesIn = (stack: Element): Pane[] => {
  const origin = stack.getBoundingClientRect();
  return [...stack.querySelectorAll('canvas')].map((canvas) => {
    const { left, top, width, height } = canvas.getBoundingClientRect();
    const chart = canvas.closest<DrawnElement>('[data-chart]') ?? undefined;
    return { chart, canvas, left: left - origin.left, top: top - origin.top, width, height };
  });
};

const sizeOf = (stack: Element) => {
  const { width, height } = stack.getBoundingClientRect();
  return { width: Math.ceil(width), height: Math.ceil(height) + headPx + footPx };
};

/** The charts of a stack as they are on the screen, twice as sharp where the screen is not. */
export const pngOf = async (stack: Element, { title, source }: PictureTexts): Promise<Blob> => {
  const { width, height } = sizeOf(stack);
  const colors = colorsNow();
  const picture = document.createElement('canvas');
  const px = Math.max(1, devicePixelRatio);
  Object.assign(picture, { width: width * px, height: height * px });
  const context = picture.getContext('2d');
  if (context === null) throw new Error('The browser has no canvas.');
  context.scale(px, px);
  context.fillStyle = colors.surface;
  context.fillRect(0, 0, width, height);
  for (const { canvas, left, top, width: wide, height: high } of panesIn(stack)) {
    context.drawImage(canvas, left, top + headPx, wide, high);
  }
  context.textBaseline = 'middle';
  context.fillStyle = colors.text;
  context.font = '600 14px system-ui, sans-serif';
  context.fillText(title, marginPx, headPx / 2, width - 2 * marginPx);
  context.fillStyle = colors['text-soft'];
  context.font = '11px system-ui, sans-serif';
  context.fillText(source, marginPx, height - footPx / 2, width - 2 * marginPx);
  return new Promise((resolve, reject) => {
    picture.toBlob((blob) => (blob === null ? reject(new Error('The browser made no picture.')) : resolve(blob)));
  });
};

export const svgOf = async (stack: Element, { title, source }: PictureTexts): Promise<Blob> => {
  const { width, height } = sizeOf(stack);
  const colors = colorsNow();
  const parts: string[] = [];
  for (const [at, pane] of panesIn(stack).entries()) {
    const place = `translate(${pane.left} ${pane.top + headPx})`;
    const marks = await pane.chart?.marks?.(`pane${at}`);
    const size = `width="${pane.width}" height="${pane.height}"`;
    parts.push(
      marks === undefined
        ? `<image transform="${place}" ${size} href="${pane.canvas.toDataURL()}"/>`
        : `<g transform="${place} scale(${1 / devicePixelRatio})">\n${marks}\n</g>`,
    );
  }
  const svg = [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}" font-family="sans-serif">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="${width}" height="${height}" fill="${colors.surface}"/>`,
    `<text x="${marginPx}" y="22" font-size="14" font-weight="600" fill="${colors.text}">${escaped(title)}</text>`,
    ...parts,
    `<text x="${marginPx}" y="${height - 9}" font-size="11" fill="${colors['text-soft']}">${escaped(source)}</text>`,
    '</svg>\n',
  ].join('\n');
  return new Blob([svg], { type: 'image/svg+xml' });
};

/** What is drawn and in sight, one row for each time. */
export const csvOfStack = (stack: Element, { title, source }: PictureTexts): Blob => {
  const charts = [...stack.querySelectorAll<DrawnElement>('[data-chart]')];
  // Trades have times of their own, and are in a file of the API.
  const tables = charts.flatMap(({ dataset, drawn }): DrawnTable[] =>
    ['trades', 'times'].includes(dataset['chart'] ?? '') || drawn === undefined ? [] : [drawn()],
  );
  return new Blob([csvOf(tables, [title, source])], { type: 'text/csv' });
};

/** Offers a file to the person. */
export const download = (blob: Blob, name: string): void => {
  const link = document.createElement('a');
  link.href = URL.createObjectURL(blob);
  link.download = name;
  link.click();
  // The browser reads it after the click.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000);
};
