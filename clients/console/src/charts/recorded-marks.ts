import type uPlot from 'uplot';

export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('"', '&quot;');

const short = (value: number): number => Math.round(value * 100) / 100;

const anchors: Readonly<Record<string, string>> = { center: 'middle', right: 'end', end: 'end' };
const baselines: Readonly<Record<string, string>> = {
  middle: 'central',
  top: 'text-before-edge',
  bottom: 'text-after-edge',
};

/** Charts fill with colours alone. */
const colorOf = (style: CanvasRenderingContext2D['fillStyle']): string =>
  typeof style === 'string' ? escaped(style) : 'none';

/** What one drawing does to the canvas of a chart, as elements of SVG. */
interface Recording {
  readonly marks: string[];
  path: string;
  readonly clips: (string | undefined)[];
}

type Context = CanvasRenderingContext2D;
type Records = Partial<Record<keyof Context, (...args: never[]) => void>>;
type Method = (...args: unknown[]) => unknown;

/**
 * Draws the chart once more, and returns what it drew as SVG: the same code describes the pixels and the picture that scales.
 * The methods of the canvas are shadowed for as long, and their state is read from it.
 */
export const marksOf = async (plot: uPlot, namespace: string): Promise<string> => {
  const { ctx } = plot;
  const recording: Recording = { marks: [], path: '', clips: [undefined] };
  const records = Object.entries(recordsOf(ctx, recording, namespace));
  for (const [name, record] of records) {
    const method = Reflect.get(ctx, name) as Method;
    Reflect.set(ctx, name, (...args: unknown[]) => {
      (record as Method)(...args);
      return Reflect.apply(method, ctx, args);
    });
  }
  try {
    plot.redraw(true, true);
    // uPlot draws in a microtask.
    await new Promise(requestAnimationFrame);
  } finally {
    for (const [name] of records) Reflect.deleteProperty(ctx, name);
  }
  return recording.marks.join('\n');
};

const recordsOf = (ctx: Context, recording: Recording, namespace: string): Records => {
  let clipsN = 0;
  const point = (x: number, y: number): string => {
    const { e, f } = ctx.getTransform();
    return `${short(x + e)} ${short(y + f)}`;
  };
  const add = (mark: string): void => {
    const clip = recording.clips.at(-1);
    const alpha = ctx.globalAlpha === 1 ? '' : ` opacity="${short(ctx.globalAlpha)}"`;
    recording.marks.push(`<g${clip === undefined ? '' : ` clip-path="url(#${clip})"`}${alpha}>${mark}</g>`);
  };
  const boxOf = (x: number, y: number, width: number, height: number): string => {
    const [left, top] = point(x, y).split(' ');
    return `x="${left}" y="${top}" width="${short(width)}" height="${short(height)}"`;
  };
  return {
    save: () => void recording.clips.push(recording.clips.at(-1)),
    restore: () => {
      if (recording.clips.length > 1) recording.clips.pop();
    },
    beginPath: () => {
      recording.path = '';
    },
    moveTo: (x: number, y: number) => {
      recording.path += `M${point(x, y)}`;
    },
    lineTo: (x: number, y: number) => {
      recording.path += `L${point(x, y)}`;
    },
    rect: (x: number, y: number, width: number, height: number) => {
      recording.path += `M${point(x, y)}h${short(width)}v${short(height)}h${short(-width)}z`;
    },
    clip: () => {
      clipsN += 1;
      const id = `${namespace}-${clipsN}`;
      recording.marks.push(`<clipPath id="${id}"><path d="${recording.path}"/></clipPath>`);
      recording.clips[recording.clips.length - 1] = id;
    },
    stroke: () => {
      const dash = ctx.getLineDash();
      const dashes = dash.length === 0 ? '' : ` stroke-dasharray="${dash.join(' ')}"`;
      const pen = `stroke="${colorOf(ctx.strokeStyle)}" stroke-width="${ctx.lineWidth}"`;
      add(`<path d="${recording.path}" fill="none" ${pen}${dashes}/>`);
    },
    fillRect: (...box: [number, number, number, number]) => {
      if (box[2] > 0 && box[3] > 0) add(`<rect ${boxOf(...box)} fill="${colorOf(ctx.fillStyle)}"/>`);
    },
    fillText: (text: string, x: number, y: number) => add(textMark(ctx, text, point(x, y))),
    drawImage: (image: HTMLCanvasElement, ...box: [number, number, number, number]) => {
      const look = 'preserveAspectRatio="none" style="image-rendering:pixelated"';
      add(`<image ${boxOf(...box)} ${look} href="${image.toDataURL()}"/>`);
    },
  };
};

const textMark = (ctx: Context, text: string, place: string): string => {
  const [left, top] = place.split(' ');
  const align = `text-anchor="${anchors[ctx.textAlign] ?? 'start'}"`;
  const base = `dominant-baseline="${baselines[ctx.textBaseline] ?? 'auto'}"`;
  const size = /([\d.]+)px/.exec(ctx.font)?.[1] ?? '11';
  const look = `font-size="${size}" fill="${colorOf(ctx.fillStyle)}"`;
  return `<text x="${left}" y="${top}" ${align} ${base} ${look}>${escaped(text)}</text>`;
};
