import { bindRequestContext } from '@almanac/runtime';

/** Preparations that readers set off: one of a market, so many at once, and so many that wait for their turn. */
export interface Preparations {
  /**
   * Begins the work, or lets it wait, unless one of this market is under way or waits already. False when too many
   * wait: the reader is told to ask again, and that ask may find room.
   */
  offer(ticker: string, work: () => Promise<void>): boolean;
  /** Begins none any more, and resolves when none is under way. */
  stop(): Promise<void>;
}

export interface PreparationsOptions {
  readonly atOnce: number;
  readonly waitingMax: number;
  readonly onFailure: (error: unknown, ticker: string) => void;
}

export const preparations = ({ atOnce, waitingMax, onFailure }: PreparationsOptions): Preparations => {
  const running = new Map<string, Promise<void>>();
  const waiting = new Map<string, () => void>();
  let stopped = false;

  const begin = (ticker: string, work: () => Promise<void>): void => {
    const done = work()
      .catch((error: unknown) => onFailure(error, ticker))
      .finally(() => {
        running.delete(ticker);
        beginNext();
      });
    running.set(ticker, done);
  };
  const beginNext = (): void => {
    for (const [ticker, beginThis] of waiting) {
      if (running.size >= atOnce) return;
      waiting.delete(ticker);
      beginThis();
    }
  };
  return {
    offer: (ticker, work) => {
      if (running.has(ticker) || waiting.has(ticker)) return true;
      if (stopped) return false;
      if (running.size < atOnce) begin(ticker, work);
      else if (waiting.size < waitingMax)
        waiting.set(
          ticker,
          bindRequestContext(() => begin(ticker, work)),
        );
      else return false;
      return true;
    },
    stop: async () => {
      stopped = true;
      waiting.clear();
      await Promise.all(running.values());
    },
  };
};
