/** Between half of a wait and one and a half of it, so that callers which failed together do not return together. */
export const withJitter = (ms: number): number => ms * (0.5 + Math.random());

/** The wait after this many earlier failures. Before its jitter, it doubles from `firstMs` up to `mostMs`. */
export const backoffMs = (
  earlierFailures: number,
  { firstMs, mostMs }: { readonly firstMs: number; readonly mostMs: number },
): number => withJitter(Math.min(mostMs, firstMs * 2 ** earlierFailures));
