import { type Lease, type LeaseRequest, windowMs } from './leases.js';

/**
 * Clocks do not go alike: what this gateway was granted 59 s ago by its own is still in the window of Redis, what is
 * older may not be.
 */
const heldWindowMs = windowMs - 1_000;

/** Redis may be back soon, and grant more than a part. */
const pauseMs = 1_000;

/** What this gateway was granted of one account. Times are milliseconds of the process' own clock. */
export interface LocalLeases {
  note(atMs: number, tokens: number): void;
  /** Granted since then, surely within the window of Redis too. */
  held(nowMs: number): number;
  /** A lease by this gateway alone, which takes its part of the limit. */
  lease(nowMs: number, request: Omit<LeaseRequest, 'account' | 'held'>): Lease;
}

export const localLeases = (): LocalLeases => {
  let leases: { readonly atMs: number; readonly tokens: number }[] = [];
  const sum = (sinceMs: number): number =>
    leases.reduce((total, { atMs, tokens }) => (atMs > sinceMs ? total + tokens : total), 0);
  return {
    note: (atMs, tokens) => {
      leases = leases.filter((lease) => lease.atMs > atMs - windowMs);
      if (tokens > 0) leases.push({ atMs, tokens });
    },
    held: (nowMs) => sum(nowMs - heldWindowMs),
    lease: (nowMs, { limit, lease }) => {
      const used = sum(nowMs - windowMs);
      const tokens = Math.max(0, Math.min(lease, limit - used));
      const oldest = leases.find(({ atMs }) => atMs > nowMs - windowMs);
      const resetMs = oldest === undefined ? windowMs : oldest.atMs + windowMs - nowMs;
      return { tokens, free: Math.max(0, limit - used - tokens), resetMs, pauseMs: Math.min(pauseMs, resetMs) };
    },
  };
};
