import { windowMs } from './lease-script.js';
import type { Lease } from './leases.js';

/** Clocks differ: tokens from up to 59 s ago on this clock are still in Redis' window, older ones may not be. */
const heldWindowMs = windowMs - 1_000;

/** Redis may be available again soon, and grant more than a share. */
const pauseMs = 1_000;

/** Tokens that were spent within this time are one entry, so that an account has at most 240. */
const stepMs = 250;

interface Spent {
  /** The time of the first and the last token. */
  readonly fromMs: number;
  atMs: number;
  tokens: number;
  /** The list in Redis that counts them. Empty if Redis does not. */
  epoch: string;
}

/** Tokens that this gateway spent for one account. Times are milliseconds of the monotonic clock. */
export type LocalLeases = ReturnType<typeof localLeases>;

export const localLeases = () => {
  let entries: Spent[] = [];
  let epoch = '';
  const sum = (sinceMs: number, counts: (one: Spent) => boolean = () => true): number =>
    entries.reduce((total, one) => (one.atMs > sinceMs && counts(one) ? total + one.tokens : total), 0);
  const note = (atMs: number, tokens: number, list: string): void => {
    if (tokens <= 0) return;
    const last = entries.at(-1);
    if (last !== undefined && last.epoch === list && atMs - last.fromMs < stepMs) {
      last.atMs = atMs;
      last.tokens += tokens;
      return;
    }
    entries = entries.filter((one) => one.atMs > atMs - windowMs);
    entries.push({ fromMs: atMs, atMs, tokens, epoch: list });
  };
  return {
    /** Tokens of the last lease were spent. */
    spent: (atMs: number, tokens: number) => note(atMs, tokens, epoch),
    /** Redis counts everything that was spent until now in this list. */
    listed: (list: string) => {
      epoch = list;
      for (const one of entries) one.epoch = list;
    },
    epoch: () => epoch,
    /** Tokens of the last minute on this clock. */
    used: (nowMs: number) => sum(nowMs - windowMs),
    /** Tokens that are certainly within the window of Redis, too: all, and those that Redis has not counted. */
    held: (nowMs: number) => ({
      all: sum(nowMs - heldWindowMs),
      unlisted: sum(nowMs - heldWindowMs, (one) => one.epoch !== epoch),
    }),
    /** Grants and spends tokens of this gateway's share of the limit. */
    lease: (nowMs: number, { limit, waiting }: { limit: number; waiting: number }): Lease => {
      const used = sum(nowMs - windowMs);
      const tokens = Math.max(0, Math.min(waiting, limit - used));
      note(nowMs, tokens, '');
      const oldest = entries.find(({ atMs }) => atMs > nowMs - windowMs);
      const resetMs = oldest === undefined ? windowMs : oldest.atMs + windowMs - nowMs;
      const free = Math.max(0, limit - used - tokens);
      return { tokens, free, resetMs, pauseMs: Math.min(pauseMs, resetMs), holders: 1, epoch: '' };
    },
  };
};
