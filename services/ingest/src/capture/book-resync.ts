import type { BookSpan } from '../books/rebuild-sink.js';

/** Tracks which watched markets lack a complete book, and when to request one again. */
export interface BookResync {
  watch(tickers: readonly string[]): void;
  markComplete(ticker: string): void;
  /** A span that ends leaves its market without a complete book. */
  span(span: Pick<BookSpan, 'ticker' | 'endReason'>): void;
  /** A new connection sends complete books without a request. */
  lost(): void;
  /** Requests missing books, each with growing pauses. */
  requestMissing(nowMs: number): void;
  readonly missing: () => readonly string[];
  readonly watched: () => number;
}

/** An answer normally takes milliseconds. The pause grows for a venue that does not answer. */
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
    span: ({ ticker, endReason }) => {
      if (endReason === null) complete.add(ticker);
      else if (complete.delete(ticker)) attempts.set(ticker, { nextMs: 0, pauseMs: firstPauseMs });
    },
    lost: () => {
      complete.clear();
      attempts.clear();
    },
    requestMissing: (nowMs) => {
      // A first book may still be on its way. A book that became uncertain is requested at once.
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
