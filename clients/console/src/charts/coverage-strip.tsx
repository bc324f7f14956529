import type { CoverageGap } from '@almanac/client';
import { type ReactNode, useEffect, useRef } from 'react';
import { type Colors, colorsNow, useThemeName } from './colors.js';
import { perFrame } from './per-frame.js';
import type { Signal } from './signal.js';
import { lengthOf, type Window } from './window.js';

export interface RecordedTimes {
  readonly gaps: readonly CoverageGap[];
  /** Whether a recording states its completeness. Otherwise only what is outside of it is known to be missing. */
  readonly isStated: boolean;
}

interface StripProps extends RecordedTimes {
  readonly label: string;
  /** The times of the strip: a window, or one that moves. */
  readonly times: Window | Signal<Window>;
  /** Nothing is to be recorded before and after it. */
  readonly life: Window;
}

const isSignal = (times: Window | Signal<Window>): times is Signal<Window> => 'get' in times;

/** What is recorded, in a line: full where everything is, half where only books are missing, empty in a gap. */
export const CoverageStrip = ({ label, times, life, gaps, isStated }: StripProps): ReactNode => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeName();
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const colors = colorsNow();
    const draw = (): void =>
      drawStrip(element, {
        gaps,
        isStated,
        colors,
        life,
        shown: isSignal(times) ? times.get() : times,
      });
    const frame = perFrame(draw);
    const observer = new ResizeObserver(frame.request);
    observer.observe(element);
    const stops = [frame.stop, ...(isSignal(times) ? [times.subscribe(frame.request)] : [])];
    draw();
    return () => {
      observer.disconnect();
      for (const stop of stops) stop();
    };
  }, [times, life, gaps, isStated, theme]);
  return <canvas ref={canvas} className="coverage-strip" role="img" aria-label={label} />;
};

interface Frame extends RecordedTimes {
  readonly colors: Colors;
  readonly life: Window;
  readonly shown: Window;
}

const drawStrip = (canvas: HTMLCanvasElement, { gaps, isStated, colors, life, shown }: Frame): void => {
  const width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
  const height = Math.max(1, Math.round(canvas.clientHeight * devicePixelRatio));
  if (canvas.width !== width || canvas.height !== height) Object.assign(canvas, { width, height });
  const context = canvas.getContext('2d');
  if (context === null) return;
  const xOf = (ts: number): number => Math.round(((ts - shown.from) / lengthOf(shown)) * width);
  context.clearRect(0, 0, width, height);
  context.fillStyle = isStated ? colors.covered : colors['text-faint'];
  const [begin, end] = [Math.max(0, xOf(life.from)), Math.min(width, xOf(life.to))];
  context.fillRect(begin, 0, Math.max(0, end - begin), height);
  for (const { start_ts, end_ts, missing } of gaps) {
    const left = Math.max(0, xOf(start_ts));
    const right = Math.min(end, end_ts === null ? end : xOf(end_ts));
    if (right < 0 || left > width) continue;
    const top = missing === 'all' ? 0 : Math.round(height / 2);
    context.clearRect(left, top, Math.max(1, right - left), height - top);
    context.fillStyle = colors.missing;
    context.fillRect(
      left,
      height - Math.ceil(devicePixelRatio),
      Math.max(1, right - left),
      Math.ceil(devicePixelRatio),
    );
  }
};
