import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import uPlot, { type AlignedData, type Options } from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Colors, colorsNow, useThemeName } from './colors.js';
import { navigateBy, navigateByKey } from './navigate.js';
import { perFrame } from './per-frame.js';
import type { Signal } from './signal.js';
import type { Window } from './window.js';

/** What the chart has drawn, for tests. */
export interface Drawn {
  readonly ts: readonly number[];
  /** The values of each series by its name. */
  readonly series: Readonly<Record<string, readonly unknown[]>>;
  readonly window: Window;
}

/** The hook for tests: the element of a chart, `[data-chart="price"]`. */
export interface DrawnElement extends HTMLDivElement {
  drawn?: () => Drawn;
  /** The pixel of the canvas at which a value of the first scale is drawn. */
  pixelOf?: (ts: number, value: number) => readonly [x: number, y: number];
}

/** Everything of a chart but its size, its data and the scale of time. */
export type ChartOptions = Omit<Options, 'width' | 'height'>;

interface TimeChartProps<Marks> {
  /** Names the chart for tests: `[data-chart="price"]`. */
  readonly name: string;
  /** What the chart shows, for screen readers. */
  readonly label: string;
  /** The value at the cursor in words, for screen readers. */
  readonly textAt: (ts: number) => string;
  readonly height: number;
  readonly data: AlignedData;
  /** What is drawn besides the data, such as gaps. A change draws again. */
  readonly drawn: Marks;
  /** A function of a module, because a new one makes a new chart. Hooks read what is to be drawn when they draw. */
  readonly optionsOf: (colors: Colors, drawn: () => Marks) => ChartOptions;
  readonly view: Signal<Window>;
  readonly limits: Window;
  /** The time that the pointer or the keyboard has chosen. */
  readonly cursor: Signal<number | undefined>;
}

/** A chart of uPlot over time in UTC, with pan, zoom and a cursor that the keyboard moves, too. */
export const TimeChart = <Marks,>(props: TimeChartProps<Marks>): ReactNode => {
  const { name, label, textAt, height, data, drawn, optionsOf, view, limits, cursor } = props;
  const host = useRef<DrawnElement>(null);
  const chart = useRef<uPlot>(null);
  const latest = useRef({ data, drawn });
  useLayoutEffect(() => {
    latest.current = { data, drawn };
    chart.current?.setData(data, false);
    chart.current?.redraw(true, true);
  }, [data, drawn]);
  const theme = useThemeName();
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const options = optionsOf(colorsNow(), () => latest.current.drawn);
    const size = { width: element.clientWidth, height };
    const plot = new uPlot({ ...withTime(options, view, cursor), ...size }, latest.current.data, element);
    chart.current = plot;
    element.drawn = () => drawnBy(plot, view.get());
    element.pixelOf = (ts, value) => [plot.valToPos(ts, 'x', true), plot.valToPos(value, 'y', true)];
    const follow = (): void => {
      const { from, to } = view.get();
      plot.setScale('x', { min: from, max: to });
    };
    follow();
    const frame = perFrame(follow);
    const stops = [view.subscribe(frame.request), frame.stop, navigateBy(plot.over, { view, limits })];
    stops.push(followWidth(plot, element));
    return () => {
      for (const stop of stops) stop();
      plot.destroy();
      delete element.drawn;
      delete element.pixelOf;
      chart.current = null;
    };
  }, [optionsOf, view, limits, cursor, height, theme]);
  const slider = useRef<HTMLDivElement>(null);
  useCursorText(slider, { cursor, view, textAt });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (navigateByKey(event.key, event.shiftKey, { view, limits })) event.preventDefault();
    else moveCursor(event, { view, cursor, ts: latest.current.data[0] });
  };
  return (
    <div className="chart" data-chart={name} ref={host}>
      <div
        ref={slider}
        className="chart-focus"
        role="slider"
        tabIndex={0}
        aria-label={label}
        aria-valuemin={limits.from}
        aria-valuemax={limits.to}
        aria-valuenow={limits.to}
        onKeyDown={onKeyDown}
      />
    </div>
  );
};

/** The observer also reports the size that the chart has from the start, and each setSize draws. */
const followWidth = (plot: uPlot, element: HTMLElement): (() => void) => {
  const observer = new ResizeObserver(() => {
    if (plot.width !== element.clientWidth) plot.setSize({ width: element.clientWidth, height: plot.height });
  });
  observer.observe(element);
  return () => observer.disconnect();
};

/** The scale of time follows the view, and all times are UTC. */
const withTime = (
  options: ChartOptions,
  view: Signal<Window>,
  cursor: Signal<number | undefined>,
): Omit<Options, 'width' | 'height'> => ({
  ...options,
  tzDate: (ts) => uPlot.tzDate(new Date(ts * 1_000), 'Etc/UTC'),
  legend: { show: false },
  scales: {
    ...options.scales,
    x: {
      time: true,
      range: () => {
        const { from, to } = view.get();
        return [from, to];
      },
    },
  },
  cursor: { drag: { x: false, y: false }, points: { show: false }, y: false, ...options.cursor },
  hooks: {
    ...options.hooks,
    setCursor: [
      (plot) => {
        const { left } = plot.cursor;
        // uPlot also reports the redraws that it does itself.
        if (left === undefined || left < 0) return;
        const ts = plot.posToVal(left, 'x');
        if (Math.abs((cursor.get() ?? 0) - ts) > 1e-6) cursor.set(ts);
      },
    ],
  },
});

const drawnBy = (plot: uPlot, window: Window): Drawn => ({
  ts: [...plot.data[0]],
  series: Object.fromEntries(
    plot.series
      .slice(1)
      .map(({ label }, at) => [typeof label === 'string' ? label : String(at), [...(plot.data[at + 1] ?? [])]]),
  ),
  window,
});

interface CursorContext {
  readonly cursor: Signal<number | undefined>;
  readonly view: Signal<Window>;
}

/** Writes the cursor into the slider's ARIA values, without a render for each movement. */
const useCursorText = (
  slider: { readonly current: HTMLElement | null },
  { cursor, view, textAt }: CursorContext & { readonly textAt: (ts: number) => string },
): void => {
  useEffect(() => {
    const write = (): void => {
      const ts = cursor.get() ?? view.get().to;
      slider.current?.setAttribute('aria-valuenow', String(ts));
      slider.current?.setAttribute('aria-valuetext', textAt(ts));
    };
    write();
    return cursor.subscribe(write);
  }, [slider, cursor, view, textAt]);
};

interface Move extends CursorContext {
  readonly ts: ArrayLike<number>;
}

/** To the point before or after the cursor, or to the first or last one that is shown. */
const moveCursor = (event: KeyboardEvent, { view, cursor, ts }: Move): void => {
  const { from, to } = view.get();
  const shown = Array.from(ts).filter((time) => time >= from && time <= to);
  const now = cursor.get() ?? to;
  const moves: Readonly<Record<string, () => number | undefined>> = {
    ArrowLeft: () => shown.findLast((time) => time < now - 1e-6),
    ArrowRight: () => shown.find((time) => time > now + 1e-6),
    PageUp: () => Math.max(from, now - (to - from) / 10),
    PageDown: () => Math.min(to, now + (to - from) / 10),
    Home: () => shown[0],
    End: () => shown.at(-1),
  };
  const next = moves[event.key]?.();
  if (next === undefined) return;
  event.preventDefault();
  cursor.set(next);
};
