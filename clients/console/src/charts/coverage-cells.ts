import type { CoverageGap } from '@almanac/client';
import type { Window } from './window.js';

/** One field of the calendar. */
export interface CoverageCell extends Window {
  /** Seconds of it that are in no gap. */
  readonly covered_s: number;
  /** Between 0 and 1. */
  readonly share: number;
  readonly reasons: readonly string[];
}

export interface Calendar {
  /** The length of a field in seconds. */
  readonly unit_s: number;
  readonly cells: readonly CoverageCell[];
}

const units = [1, 5, 10, 30, 60, 300, 900, 3_600, 6 * 3_600, 86_400, 7 * 86_400, 28 * 86_400];
const cellsMax = 190;

/** Fields of one length over the life of a market, in the shortest unit of the clock that gives not too many. */
export const calendarOf = (life: Window, gaps: readonly CoverageGap[]): Calendar => {
  const length = life.to - life.from;
  const unit_s = units.find((unit) => length / unit <= cellsMax) ?? 28 * 86_400;
  const cells: CoverageCell[] = [];
  for (let from = Math.floor(life.from / unit_s) * unit_s; from < life.to && cells.length <= 2_000; from += unit_s) {
    cells.push(cellOf({ from: Math.max(from, life.from), to: Math.min(from + unit_s, life.to) }, gaps));
  }
  return { unit_s, cells };
};

const cellOf = (cell: Window, gaps: readonly CoverageGap[]): CoverageCell => {
  const within = gaps.filter(({ start_ts, end_ts }) => start_ts < cell.to && (end_ts ?? Infinity) > cell.from);
  const covered_s = cell.to - cell.from - overlap(cell, within);
  const reasons = [...new Set(within.map(({ reason }) => reason))];
  return { ...cell, covered_s, share: covered_s / (cell.to - cell.from), reasons };
};

/** Seconds of the cell in at least one gap. Gaps of books and of everything can overlap. */
const overlap = (cell: Window, gaps: readonly CoverageGap[]): number => {
  const spans = gaps
    .map(({ start_ts, end_ts }) => [Math.max(start_ts, cell.from), Math.min(end_ts ?? Infinity, cell.to)] as const)
    .toSorted(([one], [other]) => one - other);
  let until = cell.from;
  let seconds = 0;
  for (const [from, to] of spans) {
    seconds += Math.max(0, to - Math.max(from, until));
    until = Math.max(until, to);
  }
  return seconds;
};
