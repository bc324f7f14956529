import { type ReactNode, useMemo } from 'react';
import type { Line } from './event-data.js';

const widthPx = 112;
const heightPx = 22;

interface SparklineProps {
  readonly line: Line;
  readonly color: string | undefined;
}

/** The path of a price from 0 to 1, without axes. Not a canvas: the browser draws each of them again in every frame. */
export const Sparkline = ({ line, color = 'currentColor' }: SparklineProps): ReactNode => {
  const path = useMemo(() => pathOf(line), [line]);
  return (
    <svg className="sparkline" viewBox={`0 0 ${widthPx} ${heightPx}`} preserveAspectRatio="none" aria-hidden="true">
      <path d={path} stroke={color} strokeWidth="1.25" fill="none" vectorEffect="non-scaling-stroke" />
    </svg>
  );
};

/** In steps: a price holds until the next one. */
const pathOf = ({ ts, prices }: Line): string => {
  const [from = 0, to = from + 1] = [ts[0], ts.at(-1)];
  let path = '';
  let before: string | undefined;
  prices.forEach((price, at) => {
    const x = ((((ts[at] ?? 0) - from) / (to - from)) * widthPx).toFixed(1);
    const y = price === null ? undefined : ((1 - price) * (heightPx - 2) + 1).toFixed(1);
    if (before !== undefined && y !== before) path += `H${x}`;
    if (y !== undefined && y !== before) path += before === undefined ? `M${x} ${y}` : `V${y}`;
    else if (y !== undefined && at === prices.length - 1) path += `H${x}`;
    before = y;
  });
  return path;
};
