import { type ReactNode, useEffect, useRef } from 'react';
import { useThemeName } from '../../charts/colors.js';
import type { Line } from './event-data.js';

const widthPx = 112;
const heightPx = 22;

/** The path of a price from 0 to 1, without axes. */
export const Sparkline = ({ line, color }: { readonly line: Line; readonly color: string | undefined }): ReactNode => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeName();
  useEffect(() => {
    if (canvas.current !== null) draw(canvas.current, line, color);
  }, [line, color, theme]);
  return <canvas ref={canvas} className="sparkline" width={widthPx} height={heightPx} aria-hidden="true" />;
};

const draw = (canvas: HTMLCanvasElement, { ts, prices }: Line, color: string | undefined): void => {
  const px = devicePixelRatio;
  Object.assign(canvas, { width: widthPx * px, height: heightPx * px });
  const context = canvas.getContext('2d');
  const [from = 0, to = from + 1] = [ts[0], ts.at(-1)];
  if (context === null) return;
  context.strokeStyle = color ?? getComputedStyle(canvas).color;
  context.lineWidth = 1.25 * px;
  context.beginPath();
  let before: number | null = null;
  prices.forEach((price, at) => {
    const x = (((ts[at] ?? 0) - from) / (to - from)) * canvas.width;
    const yOf = (value: number): number => (1 - value) * (canvas.height - 2 * px) + px;
    if (price !== null && before !== null) context.lineTo(x, yOf(before));
    if (price !== null) context[before === null ? 'moveTo' : 'lineTo'](x, yOf(price));
    before = price;
  });
  context.stroke();
};
