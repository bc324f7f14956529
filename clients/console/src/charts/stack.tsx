import './charts.css';
import { type ReactNode, useEffect, useRef } from 'react';
import { clockOf, localDay } from '../format/time.js';
import { marginPx } from './axes.js';
import type { Navigation } from './navigate.js';
import { perFrame } from './per-frame.js';
import type { Signal } from './signal.js';
import { lengthOf } from './window.js';

interface StackProps {
  readonly nav: Navigation;
  readonly cursor: Signal<number | undefined>;
  /** Pixels beside the plots. */
  readonly besidePx?: number;
  readonly children: ReactNode;
}

/** Charts above each other on one axis of time, with one cursor and one selection through all of them. */
export const ChartStack = ({ nav, cursor, besidePx = marginPx, children }: StackProps): ReactNode => {
  const overlay = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = overlay.current;
    if (element === null) return undefined;
    // To ask for the width at each movement would lay the page out again.
    let width = element.clientWidth;
    const place = (): void => placeMarks(element, { nav, at: cursor.get(), width });
    const frame = perFrame(place);
    const observer = new ResizeObserver(() => {
      width = element.clientWidth;
      frame.request();
    });
    observer.observe(element);
    const stops = [nav.view, nav.brush, cursor].map(({ subscribe }) => subscribe(frame.request));
    place();
    return () => {
      observer.disconnect();
      for (const stop of [...stops, frame.stop]) stop();
    };
  }, [nav, cursor]);
  return (
    <div className="chart-stack">
      {children}
      <div className="stack-overlay" ref={overlay} aria-hidden="true" style={{ insetInlineEnd: besidePx }}>
        <span className="stack-brush" />
        <span className="stack-line" />
        <span className="stack-time" />
      </div>
    </div>
  );
};

interface Marks {
  readonly nav: Navigation;
  readonly at: number | undefined;
  /** Of the plots. */
  readonly width: number;
}

const placeMarks = (overlay: HTMLElement, { nav: { view, brush }, at, width }: Marks): void => {
  const [selection, line, time] = [...overlay.children].filter((child) => child instanceof HTMLElement);
  if (selection === undefined || line === undefined || time === undefined) return;
  const shown = view.get();
  const xOf = (ts: number): number => ((ts - shown.from) / lengthOf(shown)) * width;
  const isShown = at !== undefined && at >= shown.from && at <= shown.to;
  line.hidden = !isShown;
  time.hidden = !isShown;
  if (isShown) {
    line.style.transform = `translateX(${Math.round(xOf(at))}px)`;
    time.textContent = `${localDay(at).slice(5)} ${clockOf(at)}`;
    // Its own width is 100 %. It stays within the plots.
    time.style.transform = `translateX(clamp(0px, calc(${xOf(at)}px - 50%), calc(${width}px - 100%)))`;
  }
  const chosen = brush.get();
  selection.hidden = chosen === undefined;
  if (chosen === undefined) return;
  selection.style.transform = `translateX(${xOf(chosen.from)}px)`;
  selection.style.width = `${Math.max(1, xOf(chosen.to) - xOf(chosen.from))}px`;
};
