/** Points of a preview's path. */
export const pathPointsMax = 300;

/** Steps below a second that a person would choose; above, whole seconds. */
const roundMs = [1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1_000] as const;

export interface Span {
  readonly rows: number;
  /** Times of its first and last row, integer microseconds. */
  readonly firstUs: number;
  readonly lastUs: number;
}

/**
 * The step that leaves at most 300 points of the rows: 0 where they are no more anyway. A span of n steps touches up
 * to n + 1 of them, since steps are counted from the epoch and not from its first row.
 */
export const pathStepMs = ({ rows, firstUs, lastUs }: Span): number => {
  if (rows <= pathPointsMax) return 0;
  const least = Math.ceil((lastUs - firstUs) / 1_000 / (pathPointsMax - 1));
  return roundMs.find((ms) => ms >= least) ?? Math.ceil(least / 1_000) * 1_000;
};
