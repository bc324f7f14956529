import type { Gap } from '../books/rebuild.js';

/** Which watched markets have no whole book, and when to ask for one again. */
export interface BookResync {
  watch(tickers: readonly string[]): void;
  markComplete(ticker: string): void;
  gap(gap: Pick<Gap, 'ticker' | 'endUs'>): void;
  /** A new connection begins with whole books by itself. */
  lost(): void;
  /** Asks for the books that are missing, each at most once in a while. */
  requestMissing(nowMs: number): void;
  readonly missing: () => readonly string[];
  readonly watched: () => number;
}

/** The first answer comes in milliseconds; a venue that does not answer is not asked ever faster. */
const firstPauseMs = 5_000;
const pauseMsMax = 60_000;

export const bookResync = (resync: (tickers: readonly string[]) => void): BookResync => {
  let watched: ReadonlySet<string> = new Set();
  const complete = new Set<string>();
  const attempts = new Map<string, { readonly nextMs: number; readonly pauseMs: number }>();
  const missing = (): readonly string[] => [...watched].filter((ticker) => !complete.has(ticker));
  return {
    watch: (tickers) => {
      watched = new Set(tickers);
      for (const known of [complete, attempts])
        for (const ticker of known.keys()) if (!watched.has(ticker)) known.delete(ticker);
    },
    markComplete: (ticker) => {
      complete.add(ticker);
      attempts.delete(ticker);
    },
    gap: ({ ticker, endUs }) => {
      if (endUs !== null) complete.add(ticker);
      else if (complete.delete(ticker)) attempts.set(ticker, { nextMs: 0, pauseMs: firstPauseMs });
    },
    lost: () => {
      complete.clear();
      attempts.clear();
    },
    requestMissing: (nowMs) => {
      // A first book that was asked for a moment ago may still be on its way; one that went wrong is asked for at once.
      const toRequest = missing().filter((ticker) => {
        const before = attempts.get(ticker);
        if (!before) attempts.set(ticker, { nextMs: nowMs, pauseMs: firstPauseMs });
        return before !== undefined && nowMs >= before.nextMs;
      });
      for (const ticker of toRequest) {
        const pauseMs = attempts.get(ticker)?.pauseMs ?? firstPauseMs;
        attempts.set(ticker, { nextMs: nowMs + pauseMs, pauseMs: Math.min(pauseMsMax, pauseMs * 2) });
      }
      if (toRequest.length > 0) resync(toRequest);
    },
    missing,
    watched: () => watched.size,
  };
};
