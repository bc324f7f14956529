import { type Lease, type LeaseRequest, windowMs } from './leases.js';

/** Clocks differ: tokens from up to 59 s ago on this clock are still in Redis' window, older ones may not be. */
const heldWindowMs = windowMs - 1_000;

/** Redis may be available again soon, and grant more than a share. */
const pauseMs = 1_000;

/** Tokens that this gateway received for one account. Times are milliseconds of the monotonic clock. */
export type LocalLeases = ReturnType<typeof localLeases>;

export const localLeases = () => {
  let leases: { readonly atMs: number; readonly tokens: number }[] = [];
  const sum = (sinceMs: number): number =>
    leases.reduce((total, { atMs, tokens }) => (atMs > sinceMs ? total + tokens : total), 0);
  return {
    note: (atMs: number, tokens: number) => {
      leases = leases.filter((lease) => lease.atMs > atMs - windowMs);
      if (tokens > 0) leases.push({ atMs, tokens });
    },
    /** Tokens that are certainly within the window of Redis, too. */
    held: (nowMs: number) => sum(nowMs - heldWindowMs),
    /** Grants a lease from this gateway's share of the limit. */
    lease: (nowMs: number, { limit, lease }: Omit<LeaseRequest, 'account' | 'held'>): Lease => {
      const used = sum(nowMs - windowMs);
      const tokens = Math.max(0, Math.min(lease, limit - used));
      const oldest = leases.find(({ atMs }) => atMs > nowMs - windowMs);
      const resetMs = oldest === undefined ? windowMs : oldest.atMs + windowMs - nowMs;
      return { tokens, free: Math.max(0, limit - used - tokens), resetMs, pauseMs: Math.min(pauseMs, resetMs) };
    },
  };
};
