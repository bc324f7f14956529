import { type KeyboardEvent, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';
import uPlot, { type AlignedData, type Options } from 'uplot';
import 'uplot/dist/uPlot.min.css';
import { type Colors, colorsNow, useThemeName } from './colors.js';
import { navigateBy, navigateByKey, type Navigation, tapBy } from './navigate.js';
import { perFrame } from './per-frame.js';
import type { ValuePick } from './pick-button.js';
import { marksOf } from './recorded-marks.js';
import type { Signal } from './signal.js';
import { type ValueAt, type ValueLabel, valueLabelOf } from './value-label.js';
import { lengthOf, rounded, type Window } from './window.js';

/** What the chart has drawn, for tests. */
export interface Drawn {
  readonly ts: readonly number[];
  /** The values of each series by its name. */
  readonly series: Readonly<Record<string, readonly unknown[]>>;
  readonly window: Window;
}

/** The hook for tests and for pictures: the element of a chart, `[data-chart="price"]`. */
export interface DrawnElement extends HTMLDivElement {
  drawn?: () => Drawn;
  /** The pixel of the canvas at which a value of the first scale is drawn. */
  pixelOf?: (ts: number, value: number) => readonly [x: number, y: number];
  /** The chart as elements of SVG. Their ids begin with the namespace. */
  marks?: (namespace: string) => Promise<string>;
}

/** Everything of a chart but its size, its data and the scale of time. */
export type ChartOptions = Omit<Options, 'width' | 'height'>;

export interface TimeChartProps<Marks> {
  /** Names the chart for tests: `[data-chart="price"]`. */
  readonly name: string;
  /** What the chart shows, for screen readers. Without it, its values are in the text of another chart. */
  readonly label?: string;
  /** The value at the cursor in words, for screen readers. */
  readonly textAt?: (ts: number) => string;
  readonly valueAt: ValueAt;
  /** What a click on the button at the axis does. Without it, there is none. */
  readonly pick?: ValuePick | undefined;
  readonly height: number;
  readonly data: AlignedData;
  /** What is drawn besides the data, such as gaps. A change draws again. */
  readonly drawn: Marks;
  /** A function of a module, because a new one makes a new chart. Hooks read what is to be drawn when they draw. */
  readonly optionsOf: (colors: Colors, drawn: () => Marks) => ChartOptions;
  /** What is drawn besides lines, by name and for the times of the data: what `drawn()` reports. */
  readonly cells?: () => Drawn['series'];
  readonly nav: Navigation;
  /** The time that the pointer or the keyboard has chosen. */
  readonly cursor: Signal<number | undefined>;
}

/** A chart of uPlot over time, with pan, zoom and a cursor that the keyboard moves, too. */
export const TimeChart = <Marks,>(props: TimeChartProps<Marks>): ReactNode => {
  const { name, label, textAt, data, nav, cursor, pick, valueAt } = props;
  const host = usePlot(props);
  const slider = useRef<HTMLDivElement>(null);
  useCursorText(slider, { cursor, view: nav.view, textAt });
  const onKeyDown = (event: KeyboardEvent): void => {
    if (navigateByKey(event.key, event.shiftKey, nav)) event.preventDefault();
    else if (isPickKey(event) && pick !== undefined) {
      event.preventDefault();
      pick.edit(valueAt.at(cursor.get() ?? nav.view.get().to) ?? Number.NaN);
    } else moveCursor(event, { view: nav.view, cursor, ts: data[0] });
  };
  return (
    <div className="chart" data-chart={name} ref={host}>
      {label === undefined ? null : (
        <div
          ref={slider}
          className="chart-focus"
          role="slider"
          tabIndex={0}
          aria-label={label}
          aria-valuemin={nav.limits.from}
          aria-valuemax={nav.limits.to}
          aria-valuenow={nav.limits.to}
          onKeyDown={onKeyDown}
        />
      )}
    </div>
  );
};

const isPickKey = ({ key, ctrlKey, metaKey, altKey }: KeyboardEvent): boolean =>
  key.toLowerCase() === 'a' && !ctrlKey && !metaKey && !altKey;

/** Keeps one chart of uPlot in the element. Data, marks and the view change it without a new one. */
const usePlot = <Marks,>(props: TimeChartProps<Marks>) => {
  const host = useRef<DrawnElement>(null);
  const { height, data, drawn, optionsOf, nav, cursor, valueAt, cells, pick } = props;
  const chart = useRef<uPlot>(null);
  const label = useRef<ValueLabel>(undefined);
  const latest = useRef({ data, drawn, valueAt, cells, pick });
  useLayoutEffect(() => {
    latest.current = { data, drawn, valueAt, cells, pick };
    label.current?.place(cursor.get());
  }, [data, drawn, valueAt, cells, pick, cursor]);
  useLayoutEffect(() => {
    chart.current?.setData(data, false);
    chart.current?.redraw(true, true);
  }, [data, drawn]);
  const theme = useThemeName();
  useLayoutEffect(() => {
    const element = host.current;
    if (element === null) return undefined;
    const options = optionsOf(colorsNow(), () => latest.current.drawn);
    const size = { width: element.clientWidth, height };
    const plot = new uPlot(
      { ...withTime(options, { view: nav.view, cursor, label }), ...size },
      latest.current.data,
      element,
    );
    chart.current = plot;
    label.current = valueLabelOf(plot, () => latest.current);
    element.drawn = () => drawnBy(plot, nav.view.get(), latest.current.cells?.());
    element.pixelOf = (ts, value) => [plot.valToPos(ts, 'x', true), plot.valToPos(value, 'y', true)];
    element.marks = (namespace) => marksOf(plot, namespace);
    const follow = (): void => {
      const { from, to } = nav.view.get();
      plot.setScale('x', { min: from, max: to });
    };
    follow();
    const frame = perFrame(follow);
    const labelFrame = perFrame(() => label.current?.place(cursor.get()));
    const stops = [
      nav.view.subscribe(frame.request),
      frame.stop,
      navigateBy(plot.over, nav, () => plotWidth(plot)),
      tapBy(plot.over, (left) => cursor.set(timeAt(plot, left, nav.view.get()))),
      followWidth(plot, element),
      cursor.subscribe(labelFrame.request),
      labelFrame.stop,
    ];
    return () => {
      for (const stop of stops) stop();
      plot.destroy();
      delete element.drawn;
      delete element.pixelOf;
      delete element.marks;
      chart.current = null;
      label.current = undefined;
    };
  }, [optionsOf, nav, cursor, height, theme]);
  return host;
};

/** The observer also reports the size that the chart has from the start, and each setSize draws. */
const followWidth = (plot: uPlot, element: HTMLElement): (() => void) => {
  const observer = new ResizeObserver(() => {
    if (plot.width !== element.clientWidth) plot.setSize({ width: element.clientWidth, height: plot.height });
  });
  observer.observe(element);
  return () => observer.disconnect();
};

interface Followed {
  readonly view: Signal<Window>;
  readonly cursor: Signal<number | undefined>;
  readonly label: { readonly current: ValueLabel | undefined };
}

/** A page that scrolls below a resting pointer must not move the cursor: the browser reports it as a movement by nothing. */
const onlyMoves: uPlot.Cursor.MouseListenerFactory = (_plot, _over, handle) => (event) => {
  if (!event.isTrusted || event.movementX !== 0 || event.movementY !== 0) handle(event);
  return null;
};

/** The scale of time follows the view, and the pointer moves the cursor of all charts. */
const withTime = (options: ChartOptions, { view, cursor, label }: Followed): Omit<Options, 'width' | 'height'> => ({
  ...options,
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
  // The line of the cursor is one through all charts of a stack.
  cursor: {
    drag: { x: false, y: false, setScale: false },
    points: { show: false },
    x: false,
    y: true,
    bind: { dblclick: () => null, mousemove: onlyMoves },
    ...options.cursor,
  },
  hooks: {
    ...options.hooks,
    draw: [...(options.hooks?.draw ?? []), () => label.current?.place(cursor.get())],
    setCursor: [
      (plot) => {
        const { left, top } = plot.cursor;
        // uPlot also reports the redraws that it does itself.
        const isInside = left !== undefined && left >= 0;
        label.current?.point(isInside ? top : undefined);
        label.current?.place(cursor.get());
        if (!isInside) return;
        const ts = timeAt(plot, left, view.get());
        if (Math.abs((cursor.get() ?? 0) - ts) > 1e-6) cursor.set(ts);
      },
      ...(options.hooks?.setCursor ?? []),
    ],
  },
});

/** The width as uPlot knows it: to ask the browser at each movement would lay the page out again. */
const timeAt = (plot: uPlot, left: number, shown: Window): number =>
  roundedTo(plot.posToVal(left, 'x'), lengthOf(shown) / plotWidth(plot));

const plotWidth = (plot: uPlot): number => plot.bbox.width / devicePixelRatio;

/** To the digits that pixels of this length can tell apart. */
const roundedTo = (ts: number, pixelS: number): number => {
  const unit = pixelS >= 1 ? 1 : 10 ** Math.floor(Math.log10(pixelS));
  return rounded(Math.round(ts / unit) * unit);
};

const drawnBy = (plot: uPlot, window: Window, cells: Drawn['series'] = {}): Drawn => ({
  ts: [...plot.data[0]],
  series: {
    ...Object.fromEntries(
      plot.series
        .slice(1)
        .map(({ label }, at) => [typeof label === 'string' ? label : String(at), [...(plot.data[at + 1] ?? [])]]),
    ),
    ...cells,
  },
  window,
});

interface CursorContext {
  readonly cursor: Signal<number | undefined>;
  readonly view: Signal<Window>;
}

const restMs = 200;

/**
 * Writes the cursor into the slider's ARIA values, without a render for each movement. The text can be about thousands of markets,
 * so it follows the keyboard at once, and the pointer when it rests.
 */
const useCursorText = (
  slider: { readonly current: HTMLElement | null },
  { cursor, view, textAt }: CursorContext & { readonly textAt: ((ts: number) => string) | undefined },
): void => {
  useEffect(() => {
    if (textAt === undefined) return undefined;
    const write = (): void => {
      const ts = cursor.get() ?? view.get().to;
      slider.current?.setAttribute('aria-valuenow', String(ts));
      slider.current?.setAttribute('aria-valuetext', textAt(ts));
    };
    write();
    let timer: ReturnType<typeof setTimeout> | undefined;
    const stop = cursor.subscribe(() => {
      clearTimeout(timer);
      if (document.activeElement === slider.current) write();
      else timer = setTimeout(write, restMs);
    });
    return () => {
      clearTimeout(timer);
      stop();
    };
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
