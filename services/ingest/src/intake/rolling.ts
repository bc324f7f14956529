import { copyText } from '../values/copy-text.js';

export interface SeriesWindow {
  readonly series: string;
  readonly ticker: string;
  readonly openUs: number;
  readonly closeUs: number;
}

export interface RollingDetector {
  see(window: SeriesWindow): void;
  /** The series whose windows follow each other. */
  rolling(): readonly string[];
  all(): readonly string[];
}

/** Latest windows remembered for each series: enough to tolerate gaps, with bounded memory. */
const windowsMax = 256;
const seriesMax = 10_000;

type Windows = Map<string, { readonly openUs: number; readonly closeUs: number }>;

/**
 * Finds rolling series: three or more markets, one per window, where the close of one is mostly the open of the next
 * (the real catalogue has gaps of hours). It judges the latest windows of each series, so the order or repetition of
 * rows does not matter. A ladder has several markets in one window and never qualifies.
 */
export const rollingDetector = (): RollingDetector => {
  const known = new Map<string, Windows>();
  return {
    see: ({ series, ticker, openUs, closeUs }) => {
      let windows = known.get(series);
      if (!windows) {
        if (known.size >= seriesMax) return;
        windows = new Map();
        known.set(copyText(series), windows);
      }
      windows.set(copyText(ticker), { openUs, closeUs });
      if (windows.size > 2 * windowsMax) trimWindows(windows);
    },
    rolling: () => Array.from(known).flatMap(([series, windows]) => (isRolling(windows) ? [series] : [])),
    all: () => Array.from(known.keys()),
  };
};

const trimWindows = (windows: Windows): void => {
  const oldestFirst = Array.from(windows).toSorted(([, a], [, b]) => a.closeUs - b.closeUs);
  for (const [ticker] of oldestFirst.slice(0, windows.size - windowsMax)) windows.delete(ticker);
};

const isRolling = (windows: Windows): boolean => {
  trimWindows(windows);
  const inOrder = Array.from(windows.values()).toSorted((a, b) => a.closeUs - b.closeUs || a.openUs - b.openUs);
  if (inOrder.length < 3) return false;
  let following = 0;
  for (const [index, window] of inOrder.entries()) {
    const before = inOrder[index - 1];
    if (!before) continue;
    if (window.openUs < before.closeUs) return false;
    if (window.openUs === before.closeUs) following += 1;
  }
  return following >= 2 && following * 2 >= inOrder.length - 1;
};
