import { z } from 'zod';
import type { Condition } from '../tables/filters.js';
import type { Position } from '../tables/position.js';

/**
 * The window of a listing that names no time: what closed at most some days before the newest close that was past when
 * it was first asked for, and what was live then. It goes with the cursor, so that later pages are of the same listing:
 * as the bound that all closes lie above, or as the time of asking in brackets while no closed market was seen; null
 * where a listing has none.
 */
export const defaultWindow = z.union([z.int(), z.tuple([z.int()]), z.null()]);
export type DefaultWindow = z.output<typeof defaultWindow>;

const dayUs = 86_400_000_000;
/** Below every known close, above what stands for an unknown one of a market that is not open. */
const beginning = -1;

/** What is live closes later than all that is closed, so one bound is enough. */
export const windowCondition = (window: DefaultWindow): Condition[] => {
  if (window === null) return [];
  return [
    { sql: 'close_key > {floor_us:Int64}', params: { floor_us: typeof window === 'number' ? window : beginning } },
  ];
};

/** Of markets in order, those in the window, which is known better once the first of them is a closed one. */
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
