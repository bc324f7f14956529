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

const dayUs = 86_400_000_000;
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
  const floor = Math.max(beginning, newest.position.key - days * dayUs - 1);
  return { listed: found.filter(({ position }) => position.key > floor), window: floor };
};
