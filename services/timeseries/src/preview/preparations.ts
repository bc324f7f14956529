import { bindRequestContext } from '@almanac/runtime';

export interface PreparationsOptions {
  readonly atOnce: number;
  readonly waitingMax: number;
  readonly onFailure: (error: unknown, ticker: string) => void;
}

/** Preparations that requests start: at most one per market, with limits for how many run and how many wait. */
export const preparations = ({ atOnce, waitingMax, onFailure }: PreparationsOptions) => {
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
    /**
     * Starts or queues the work, unless this market is already running or waiting. Returns false if the queue is full.
     * The reader then gets a pending preview, and a later request can start the work.
     */
    offer: (ticker: string, work: () => Promise<void>) => {
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
    /** When nothing runs or waits. */
    idle: async () => {
      while (running.size > 0) await Promise.all(running.values());
    },
    stop: async () => {
      stopped = true;
      waiting.clear();
      await Promise.all(running.values());
    },
  };
};
