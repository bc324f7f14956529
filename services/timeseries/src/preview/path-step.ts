export const pathPointsMax = 300;

/** Steps below one second are round numbers. Longer steps are whole seconds. */
const roundMs = [1, 2, 5, 10, 20, 50, 100, 200, 250, 500, 1_000] as const;

export interface Span {
  readonly rows: number;
  readonly firstUs: number;
  readonly lastUs: number;
}

/**
 * The step that leaves at most 300 points of the rows, or 0 if there are no more than that. Steps are counted from the
 * epoch, not from the first row, so a span of n steps can touch n + 1 of them.
 */
export const pathStepMs = ({ rows, firstUs, lastUs }: Span): number => {
  if (rows <= pathPointsMax) return 0;
  const least = Math.ceil((lastUs - firstUs) / 1_000 / (pathPointsMax - 1));
  return roundMs.find((ms) => ms >= least) ?? Math.ceil(least / 1_000) * 1_000;
};
