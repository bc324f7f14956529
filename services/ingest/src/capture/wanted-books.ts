import type { Gap } from '../books/rebuild.js';

/** Which watched markets have no whole book, and when to ask for one again. */
export interface WantedBooks {
  watch(tickers: readonly string[]): void;
  whole(ticker: string): void;
  gap(gap: Pick<Gap, 'ticker' | 'endUs'>): void;
  /** A new connection begins with whole books by itself. */
  lost(): void;
  /** Asks for the books that are missing, each at most once in a while. */
  ask(nowMs: number): void;
  readonly missing: () => readonly string[];
  readonly watched: () => number;
}

/** The first answer comes in milliseconds; a venue that does not answer is not asked ever faster. */
const firstPauseMs = 5_000;
const pauseMsMax = 60_000;

export const wantedBooks = (resync: (tickers: readonly string[]) => void): WantedBooks => {
  let watched: ReadonlySet<string> = new Set();
  const whole = new Set<string>();
  const asked = new Map<string, { readonly nextMs: number; readonly pauseMs: number }>();
  const missing = (): readonly string[] => [...watched].filter((ticker) => !whole.has(ticker));
  return {
    watch: (tickers) => {
      watched = new Set(tickers);
      for (const known of [whole, asked])
        for (const ticker of known.keys()) if (!watched.has(ticker)) known.delete(ticker);
    },
    whole: (ticker) => {
      whole.add(ticker);
      asked.delete(ticker);
    },
    gap: ({ ticker, endUs }) => {
      if (endUs !== null) whole.add(ticker);
      else if (whole.delete(ticker)) asked.set(ticker, { nextMs: 0, pauseMs: firstPauseMs });
    },
    lost: () => {
      whole.clear();
      asked.clear();
    },
    ask: (nowMs) => {
      // A first book that was asked for a moment ago may still be on its way; one that went wrong is asked for at once.
      const due = missing().filter((ticker) => {
        const before = asked.get(ticker);
        if (!before) asked.set(ticker, { nextMs: nowMs, pauseMs: firstPauseMs });
        return before !== undefined && nowMs >= before.nextMs;
      });
      for (const ticker of due) {
        const pauseMs = asked.get(ticker)?.pauseMs ?? firstPauseMs;
        asked.set(ticker, { nextMs: nowMs + pauseMs, pauseMs: Math.min(pauseMsMax, pauseMs * 2) });
      }
      if (due.length > 0) resync(due);
    },
    missing,
    watched: () => watched.size,
  };
};
