import type { CoverageGap, Snapshot } from '@almanac/client';
import { withoutNoise } from '../format/numbers.js';
import type { Window } from './window.js';

export type Level = readonly [price: number, size: number];

/** Order books as a grid: one column for each step of time, one row for each step of price, lowest price first. */
export interface Heatmap {
  readonly columns: number;
  readonly rows: number;
  /** The price of the lowest row's lower end, and the height of a row. */
  readonly priceMin: number;
  readonly priceStep: number;
  /** Contracts on each side, by `row * columns + column`. NaN where no book is known. */
  readonly bids: Float64Array;
  readonly asks: Float64Array;
  readonly sizeMax: number;
}

export interface Books {
  readonly snapshots: readonly Snapshot[];
  readonly gaps: readonly CoverageGap[];
  /** The last book holds until then: until the close of the market. */
  readonly until: number;
}

const rowsMax = 100;
const steps = [0.0001, 0.0002, 0.0005, 0.001, 0.002, 0.005, 0.01, 0.02] as const;

/** A bid of no at a price is an ask of yes at 1 minus it. */
export const askOf = ([price, size]: Level): Level => [withoutNoise(1 - price), size];

export const heatmapOf = ({ snapshots, gaps, until }: Books, shown: Window, columns: number): Heatmap | undefined => {
  const books = snapshots.filter(({ orderbook_yes, orderbook_no }) => orderbook_yes !== null || orderbook_no !== null);
  const prices = books.flatMap((book) => [...bidsOf(book), ...asksOf(book)].map(([price]) => price));
  if (prices.length === 0) return undefined;
  const scale = scaleOf(prices);
  const bids = new Float64Array(columns * scale.rows).fill(Number.NaN);
  const asks = new Float64Array(columns * scale.rows).fill(Number.NaN);
  let sizeMax = 0;
  const columnsBooks = booksOfColumns({ snapshots: books, gaps, until }, shown, columns);
  columnsBooks.forEach((book, column) => {
    if (book === undefined) return;
    for (let row = 0; row < scale.rows; row += 1) bids[row * columns + column] = asks[row * columns + column] = 0;
    for (const [cells, levels] of [
      [bids, bidsOf(book)],
      [asks, asksOf(book)],
    ] as const) {
      for (const [price, size] of levels) {
        const cell = rowOf(price, scale) * columns + column;
        cells[cell] = (cells[cell] ?? 0) + size;
        sizeMax = Math.max(sizeMax, cells[cell] ?? 0);
      }
    }
  });
  return { columns, rows: scale.rows, priceMin: scale.priceMin, priceStep: scale.priceStep, bids, asks, sizeMax };
};

const bidsOf = ({ orderbook_yes }: Snapshot): readonly Level[] => orderbook_yes ?? [];
const asksOf = ({ orderbook_no }: Snapshot): readonly Level[] => (orderbook_no ?? []).map(askOf);

interface Scale {
  readonly priceMin: number;
  readonly priceStep: number;
  readonly rows: number;
}

const scaleOf = (prices: readonly number[]): Scale => {
  let low = Infinity;
  let high = -Infinity;
  for (const price of prices) {
    low = Math.min(low, price);
    high = Math.max(high, price);
  }
  // Finer rows than the steps of the prices would be empty between them.
  const grain = steps.findLast((step) => prices.every((price) => isMultiple(price, step))) ?? 0;
  const priceStep = steps.find((step) => step >= grain && (high - low) / step < rowsMax) ?? 0.02;
  const first = Math.floor(low / priceStep + 1e-6);
  return { priceMin: first * priceStep, priceStep, rows: Math.floor(high / priceStep + 1e-6) - first + 1 };
};

const isMultiple = (price: number, step: number): boolean => Math.abs(price / step - Math.round(price / step)) < 1e-6;

/** Decimals such as 0.29 are just below their step as floats. */
const rowOf = (price: number, { priceMin, priceStep, rows }: Scale): number =>
  Math.min(rows - 1, Math.max(0, Math.floor((price - priceMin) / priceStep + 1e-6)));

/** The last book at or before the middle of each column, if no gap is in between. */
const booksOfColumns = ({ snapshots, gaps, until }: Books, { from, to }: Window, columns: number) => {
  let at = -1;
  return Array.from({ length: columns }, (_, column): Snapshot | undefined => {
    const ts = from + ((column + 0.5) / columns) * (to - from);
    while (at + 1 < snapshots.length && (snapshots[at + 1]?.ts ?? Infinity) <= ts) at += 1;
    const isUnknown = ts > until || gaps.some(({ start_ts, end_ts }) => start_ts <= ts && (end_ts ?? Infinity) > ts);
    return isUnknown ? undefined : snapshots[at];
  });
};

/**
 * How strong a cell is drawn, between 0 and 1. Sizes differ by powers of ten, so it grows with their logarithm, and faster
 * for large ones, which would not stand out otherwise.
 */
export const strengthOf = (size: number, sizeMax: number): number =>
  size > 0 && sizeMax > 0 ? 0.08 + 0.92 * (Math.log1p(size) / Math.log1p(sizeMax)) ** 2.5 : 0;
