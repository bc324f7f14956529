/** A stretch of time in Unix seconds. The end is exclusive. */
export interface Window {
  readonly from: number;
  readonly to: number;
}

/** The API has microseconds. A shorter window than this shows nothing more. */
const lengthMin = 0.5;

export const lengthOf = ({ from, to }: Window): number => to - from;

/** Moves a window into the limits without changing its length, if it fits. */
export const within = ({ from, to }: Window, limits: Window): Window => {
  const length = Math.min(Math.max(to - from, lengthMin), Math.max(lengthOf(limits), lengthMin));
  const start = Math.min(Math.max(from, limits.from), Math.max(limits.from, limits.to - length));
  return { from: start, to: start + length };
};

/** Zooms by a factor below 1 in, above 1 out. The time at `anchor` stays where it is. */
export const zoomed = (shown: Window, factor: number, anchor: number, limits: Window): Window => {
  const length = Math.max(lengthMin, lengthOf(shown) * factor);
  const share = lengthOf(shown) === 0 ? 0.5 : (anchor - shown.from) / lengthOf(shown);
  const from = anchor - share * length;
  return within({ from, to: from + length }, limits);
};

/** Moves by a share of what is shown: 0.5 is half a screen later. */
export const panned = (shown: Window, share: number, limits: Window): Window => {
  const by = lengthOf(shown) * share;
  return within({ from: shown.from + by, to: shown.to + by }, limits);
};

/**
 * What is in sight after new limits: all of it, if all was in sight before. What ended at the last moment moves with it, and keeps
 * its length. Anything else stays.
 */
export const followed = (shown: Window, before: Window, limits: Window): Window => {
  if (isSame(shown, before)) return limits;
  if (Math.abs(shown.to - before.to) > lengthOf(shown) / 1_000) return within(shown, limits);
  return within({ from: shown.from + limits.to - before.to, to: limits.to }, limits);
};

export const isSame = (one: Window, other: Window): boolean =>
  Math.abs(one.from - other.from) < 1e-6 && Math.abs(one.to - other.to) < 1e-6;

/** A little space around data, and a length for a single point. */
export const withMargin = ({ from, to }: Window): Window => {
  const margin = to - from < 1 ? 30 : (to - from) * 0.01;
  return { from: from - margin, to: to + margin };
};

/** From a number of the API to one that reads well in an address of the API: microseconds. */
export const rounded = (ts: number): number => Math.round(ts * 1e6) / 1e6;
/** Finer than any pixel of a window of a minute. */
export const roundedToMs = (ts: number): number => Math.round(ts * 1e3) / 1e3;
export const outward = ({ from, to }: Window): Window => ({ from: Math.floor(from), to: Math.ceil(to) });
