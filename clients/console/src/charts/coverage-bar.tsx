import type { CoverageGap } from '@almanac/client';
import { type ReactNode, useMemo } from 'react';
import type { RecordedTimes } from './coverage-strip.js';
import { lengthOf, type Window } from './window.js';

interface BarProps extends RecordedTimes {
  readonly label: string;
  readonly life: Window;
}

/** The browser stretches them. */
const [width, height, line] = [1_000, 6, 1];
const gapMin = 10;

/** A coverage strip for rows, whose times do not move. Not a canvas: the browser draws each of them again in every frame. */
export const CoverageBar = ({ label, life, gaps, isStated }: BarProps): ReactNode => {
  const [holes, lines] = useMemo(() => [pathOf(gaps, life, 'hole'), pathOf(gaps, life, 'line')], [gaps, life]);
  const box = { viewBox: `0 0 ${width} ${height}`, preserveAspectRatio: 'none' };
  return (
    <svg className="coverage-strip" role="img" aria-label={label} {...box}>
      <rect width={width} height={height} fill={isStated ? 'var(--covered)' : 'var(--text-faint)'} />
      <path d={holes} fill="var(--surface)" />
      <path d={lines} fill="var(--missing)" />
    </svg>
  );
};

/** A hole is as high as what is missing. A line stands below it. */
const pathOf = (gaps: readonly CoverageGap[], life: Window, part: 'hole' | 'line'): string => {
  const xOf = (ts: number): number => ((ts - life.from) / lengthOf(life)) * width;
  return gaps
    .flatMap(({ start_ts, end_ts, missing }) => {
      const [left, end] = [Math.max(0, xOf(start_ts)), Math.min(width, xOf(end_ts ?? life.to))];
      if (end < 0 || left > width) return [];
      const right = Math.max(left + gapMin, end);
      const top = part === 'line' ? height - line : missing === 'all' ? 0 : height / 2;
      return [`M${left.toFixed(1)} ${top}H${right.toFixed(1)}V${height}H${left.toFixed(1)}z`];
    })
    .join('');
};
