import { accountQueue, type SlotLimits } from '@almanac/runtime';

export interface PreparationsOptions extends Omit<SlotLimits, 'onRefused' | 'accountAtOnce'> {
  readonly waitingMax: number;
  readonly onFailure: (error: unknown, name: string) => void;
}

/**
 * Preparations that requests start: at most one of each name, with limits for how many run and how many wait. Accounts take turns,
 * and leave half of what runs to others.
 */
export const preparations = ({ onFailure, ...limits }: PreparationsOptions) => {
  const queue = accountQueue({ ...limits, accountAtOnce: limits.atOnce });
  const stopping = new AbortController();
  /** Those that run or wait. */
  const known = new Map<string, Promise<void>>();

  const begin = async (name: string, account: string, work: () => Promise<void>): Promise<void> => {
    const beganAt = performance.now();
    try {
      await work();
    } catch (error) {
      onFailure(error, name);
    } finally {
      queue.leave(account, performance.now() - beganAt);
    }
  };
  return {
    /**
     * Starts or queues the work, unless it is already running or waiting. Returns false if the queue is full. A later request
     * can start the work then.
     */
    offer: (name: string, account: string, work: () => Promise<void>): boolean => {
      if (known.has(name)) return true;
      if (stopping.signal.aborted || !queue.hasCapacity(account)) return false;
      const turn = queue.enter(account, { account, signal: stopping.signal, remainingMs: Infinity });
      const done =
        turn === undefined
          ? begin(name, account, work)
          : turn.then(
              () => begin(name, account, work),
              // The process stops.
              () => undefined,
            );
      known.set(
        name,
        done.finally(() => known.delete(name)),
      );
      return true;
    },
    /** When nothing runs or waits. */
    idle: async () => {
      while (known.size > 0) await Promise.all(known.values());
    },
    stop: async () => {
      stopping.abort(new Error('this process stops'));
      await Promise.all(known.values());
    },
  };
};
