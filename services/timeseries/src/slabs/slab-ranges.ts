import { latestUs } from '../window/window.js';

/** The time range that one slab covers. */
export interface SlabRange {
  readonly fromUs: number;
  readonly toUs: number;
}

const hourUs = 3_600_000_000;
const dayUs = 24 * hourUs;
/** The rows of a shorter market are one slab, so that it is read from ClickHouse once. */
const wholeUsMax = 2 * dayUs;

/** Lengths of slabs, from the one of short markets to the one of markets with very many rows. Null covers all times. */
export const slabLengths = [null, dayUs, hourUs] as const;

/** The index in `slabLengths` of a market whose observations are `recordedUs` apart. */
export const lengthOf = (recordedUs: number): number => (recordedUs <= wholeUsMax ? 0 : 1);

/** The index in `slabLengths` of a slab that covers so much time. */
export const indexOfLength = (lengthUs: number): number =>
  Math.max(
    0,
    slabLengths.findIndex((one) => one === lengthUs),
  );

/** The time ranges of the slabs that a window touches, in order. */
export const slabRangesOf = (
  { startUs, endUs }: { readonly startUs: number; readonly endUs: number },
  lengthUs: number | null,
): SlabRange[] => {
  if (lengthUs === null) return [{ fromUs: 0, toUs: latestUs + 1 }];
  const first = Math.floor(startUs / lengthUs);
  const count = Math.max(1, Math.ceil(endUs / lengthUs) - first);
  return Array.from({ length: count }, (_, at) => ({
    fromUs: (first + at) * lengthUs,
    toUs: (first + at + 1) * lengthUs,
  }));
};
