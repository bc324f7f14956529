import type { CoverageGap, Snapshot } from '@almanac/client';
import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { type ReactNode, useEffect, useMemo, useRef } from 'react';
import { useAsOf } from '../../api/as-of.js';
import { archiveAt } from '../../api/client.js';
import { useThemeName } from '../../charts/colors.js';
import { type Heatmap, heatmapOf, strengthOf } from '../../charts/heatmap.js';
import { navigateBy } from '../../charts/navigate.js';
import { perFrame } from '../../charts/per-frame.js';
import type { Signal } from '../../charts/signal.js';
import { lengthOf, outward, type Window } from '../../charts/window.js';
import { price } from '../../format/numbers.js';
import { duration } from '../../format/time.js';
import { Failure } from '../../states/failure.js';
import { Loading } from '../../states/loading.js';
import { BooksNotIncluded } from './books-not-included.js';
import { gapsElsewhere } from './market-data.js';

const columns = 180;
/** The API gives a book for at most each minute. */
const stepMsMax = 60_000;
export const heatmapSecondsMax = (columns * stepMsMax) / 1_000;
const rowsPerColumn = 2;
const height = 220;

interface HeatmapProps {
  readonly ticker: string;
  readonly shown: Window;
  readonly gaps: readonly CoverageGap[];
  /** The close of the market. */
  readonly until: number;
  readonly view: Signal<Window>;
  readonly limits: Window;
  readonly cursor: Signal<number | undefined>;
}

/** Contracts at each price over time. */
export const BookHeatmap = (props: HeatmapProps): ReactNode => {
  const { ticker, shown, gaps, until } = props;
  const asOf = useAsOf();
  const window = useMemo(() => outward(shown), [shown]);
  const isShort = lengthOf(window) <= heatmapSecondsMax;
  const query = useQuery({
    queryKey: ['books', asOf, ticker, window],
    queryFn: ({ signal }) => readBooks({ ticker, asOf, signal }, window),
    enabled: isShort,
    placeholderData: keepPreviousData,
  });
  const map = useMemo(
    () =>
      query.data === undefined
        ? undefined
        : heatmapOf({ snapshots: query.data.snapshots, gaps, until }, query.data.window, columns),
    [query.data, gaps, until],
  );
  if (!isShort) {
    return (
      <p className="hint pad">
        Zoom in to {duration(heatmapSecondsMax)} or less to see the order books of the time in sight.
      </p>
    );
  }
  if (query.data === undefined) {
    if (query.error !== null) return <Failure error={query.error} onRetry={query.refetch} />;
    return <Loading what="the order books" rows={4} />;
  }
  if (!query.data.included) return <BooksNotIncluded notice={query.data.notice} />;
  if (map === undefined) return <p className="hint pad">No order book is stored in this time.</p>;
  return <Canvas {...props} map={map} window={query.data.window} />;
};

interface Read {
  readonly ticker: string;
  readonly asOf: number | undefined;
  readonly signal: AbortSignal;
}

interface BooksInWindow {
  readonly snapshots: readonly Snapshot[];
  readonly window: Window;
  /** Whether the account may read books. */
  readonly included: boolean;
  readonly notice: string | null;
}

const readBooks = async ({ ticker, asOf, signal }: Read, window: Window): Promise<BooksInWindow> => {
  const step_ms = Math.min(stepMsMax, Math.max(1, Math.ceil((lengthOf(window) * 1_000) / columns)));
  const params = {
    start_ts: window.from,
    end_ts: window.to,
    step_ms,
    include_book: true,
    limit: columns * rowsPerColumn,
  };
  // The gaps are drawn from the coverage that the screen has.
  const options = { signal, coverage: gapsElsewhere };
  const page = await archiveAt(asOf).markets.snapshots(ticker, params, options).firstPage();
  return { snapshots: page.snapshots, window, included: page.include_book, notice: page.notice };
};

interface CanvasProps extends HeatmapProps {
  readonly map: Heatmap;
  /** The stretch that the map covers. While the view moves, it is drawn at its place. */
  readonly window: Window;
}

const Canvas = ({ map, window: covered, view, limits, cursor }: CanvasProps): ReactNode => {
  const canvas = useRef<HTMLCanvasElement>(null);
  const theme = useThemeName();
  const image = useMemo(() => imageOf(map, theme), [map, theme]);
  useEffect(() => {
    const element = canvas.current;
    if (element === null) return undefined;
    const draw = (): void => drawMap(element, { image, covered, shown: view.get(), at: cursor.get() });
    const frame = perFrame(draw);
    const point = (event: PointerEvent): void => {
      const { left, width } = element.getBoundingClientRect();
      const { from, to } = view.get();
      cursor.set(from + ((event.clientX - left) / width) * (to - from));
    };
    element.addEventListener('pointermove', point);
    const observer = new ResizeObserver(draw);
    observer.observe(element);
    const follows = [view.subscribe(frame.request), cursor.subscribe(frame.request), frame.stop];
    const stops = [...follows, navigateBy(element, { view, limits })];
    draw();
    return () => {
      element.removeEventListener('pointermove', point);
      observer.disconnect();
      for (const stop of stops) stop();
    };
  }, [image, covered, view, limits, cursor]);
  const top = map.priceMin + map.rows * map.priceStep;
  return (
    <figure className="heatmap" data-chart="books" data-columns={map.columns} data-rows={map.rows}>
      <div className="heatmap-axis" aria-hidden="true">
        <span>{price(Number(top.toFixed(4)))}</span>
        <span>{price(Number(((map.priceMin + top) / 2).toFixed(4)))}</span>
        <span>{price(Number(map.priceMin.toFixed(4)))}</span>
      </div>
      <canvas
        ref={canvas}
        height={height}
        role="img"
        aria-label={`Contracts in the order book at prices from ${price(Number(map.priceMin.toFixed(4)))} to ${price(Number(top.toFixed(4)))}. The book at the cursor is listed as a table.`}
      />
    </figure>
  );
};

/** One pixel for each cell, in the colour of its side. */
const imageOf = (map: Heatmap, theme: string): HTMLCanvasElement => {
  const canvas = document.createElement('canvas');
  canvas.width = map.columns;
  canvas.height = map.rows;
  const context = canvas.getContext('2d');
  if (context === null) return canvas;
  const pixels = context.createImageData(map.columns, map.rows);
  const [bid, ask] =
    theme === 'dark'
      ? [
          [86, 201, 143],
          [255, 138, 128],
        ]
      : [
          [11, 112, 67],
          [179, 38, 30],
        ];
  for (let row = 0; row < map.rows; row += 1) {
    for (let column = 0; column < map.columns; column += 1) {
      const cell = row * map.columns + column;
      const bids = map.bids[cell] ?? Number.NaN;
      const asks = map.asks[cell] ?? Number.NaN;
      const size = Math.max(bids, asks);
      const [red = 0, green = 0, blue = 0] = (bids >= asks ? bid : ask) ?? [];
      // Rows of an image go down, prices go up. A cell without a known book stays grey.
      const at = ((map.rows - 1 - row) * map.columns + column) * 4;
      const isUnknown = Number.isNaN(size);
      const values = isUnknown ? [128, 136, 150, 50] : [red, green, blue, strengthOf(size, map.sizeMax) * 255];
      pixels.data.set(values, at);
    }
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
};

interface Frame {
  readonly image: HTMLCanvasElement;
  readonly covered: Window;
  readonly shown: Window;
  readonly at: number | undefined;
}

const drawMap = (canvas: HTMLCanvasElement, { image, covered, shown, at }: Frame): void => {
  const width = Math.max(1, Math.round(canvas.clientWidth * devicePixelRatio));
  const pixels = Math.round(height * devicePixelRatio);
  if (canvas.width !== width || canvas.height !== pixels) Object.assign(canvas, { width, height: pixels });
  const context = canvas.getContext('2d');
  if (context === null) return;
  const xOf = (ts: number): number => ((ts - shown.from) / lengthOf(shown)) * width;
  context.clearRect(0, 0, width, pixels);
  context.imageSmoothingEnabled = false;
  context.drawImage(image, xOf(covered.from), 0, xOf(covered.to) - xOf(covered.from), pixels);
  if (at === undefined) return;
  context.fillStyle = getComputedStyle(canvas).color;
  context.fillRect(Math.round(xOf(at)), 0, devicePixelRatio, pixels);
};
