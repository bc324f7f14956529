import { dayUs } from '@almanac/contracts';
import { z } from 'zod';
import type { Condition } from '../tables/filters.js';
import type { Position } from '../tables/position.js';

/**
 * The window of a listing without a time filter: live markets, and those that closed in the days before the newest
 * past close, as of the first request. It is part of the cursor. A number is the lower bound of all closes, a number
 * in brackets the time of the first request while no closed market was seen. Null: no window.
 */
export const defaultWindow = z.union([z.int(), z.tuple([z.int()]), z.null()]);
export type DefaultWindow = z.output<typeof defaultWindow>;

/** Below every known close, and above the key of an unknown close of a market that is not open. */
const beginning = -1;

/** Live markets close later than all closed ones, so one bound is enough. */
export const windowCondition = (window: DefaultWindow): Condition[] => {
  if (window === null) return [];
  return [
    { sql: 'close_key > {floor_us:Int64}', params: { floor_us: typeof window === 'number' ? window : beginning } },
  ];
};

/** Keeps the markets within the window. The markets are in order, and the first closed one determines the bound. */
export const cutToWindow = <T extends { readonly position: Position }>(
  found: readonly T[],
  { window, days }: { window: DefaultWindow; days: number },
): { listed: readonly T[]; window: DefaultWindow } => {
  if (window === null || typeof window === 'number') return { listed: found, window };
  const newest = found.find(({ position }) => position.key <= window[0]);
  if (newest === undefined) return { listed: found, window };
  const floor = floorOf(newest, days);
  return { listed: found.filter(({ position }) => position.key > floor), window: floor };
};

const floorOf = ({ position }: { readonly position: Position }, days: number): number =>
  Math.max(beginning, position.key - days * dayUs - 1);

/** The matching market with the newest close up to a time. */
export type NewestClosed = (us: number) => Promise<{ readonly position: Position } | undefined>;

/** Finds the bound of a window whose first page has live markets only, so that every page can state it. */
export const completeWindow = async (
  window: DefaultWindow,
  { days, newestClosed }: { days: number; newestClosed: NewestClosed },
): Promise<DefaultWindow> => {
  if (window === null || typeof window === 'number') return window;
  const newest = await newestClosed(window[0]);
  return newest === undefined ? window : floorOf(newest, days);
};

/** A known close up to a time. */
export const closedUntil = (us: number): Condition => ({
  sql: `(close_key > ${beginning} AND close_key <= {until_us:Int64})`,
  params: { until_us: us },
});
