import { DomainError } from '@almanac/contracts';

/** Limits the concurrent ClickHouse reads of this process. Further reads wait in order until their deadline. */
export interface ReadSlots {
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

const busy = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The archive is busy. Try again in a few seconds.', { cause });

export const readSlots = (atOnce: number): ReadSlots => {
  const waiting = new Set<() => void>();
  let free = atOnce;

  const turn = (signal: AbortSignal): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        waiting.delete(enter);
        reject(busy(signal.reason));
      };
      const enter = (): void => {
        signal.removeEventListener('abort', leave);
        resolve();
      };
      waiting.add(enter);
      signal.addEventListener('abort', leave, { once: true });
    });

  /** A released slot goes to the read that has waited longest, so `free` does not change. */
  const leaveSlot = (): void => {
    for (const next of waiting) {
      waiting.delete(next);
      next();
      return;
    }
    free += 1;
  };

  return {
    run: async (signal, work) => {
      if (signal.aborted) throw busy(signal.reason);
      if (free > 0) free -= 1;
      else await turn(signal);
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) throw busy(error);
        throw error;
      } finally {
        leaveSlot();
      }
    },
  };
};

/** The same slots, but at most `atOnce` at a time, so that other reads never wait behind more of these. */
export const fewerSlots = (slots: ReadSlots, atOnce: number): ReadSlots => {
  const few = readSlots(atOnce);
  return { run: (signal, work) => few.run(signal, () => slots.run(signal, work)) };
};
