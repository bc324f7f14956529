import { DomainError } from '@almanac/contracts';

/** Limits the concurrent ClickHouse reads of this process. Further reads wait in order until their deadline. */
export interface ReadSlots {
  run<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T>;
}

/** Slots for reads that do not end with a promise. */
export interface HeldSlots extends ReadSlots {
  /** Waits for a slot. Returns the function that releases it. Throws `unavailable` if the signal aborts before. */
  acquire(signal: AbortSignal): Promise<() => void>;
  /** A slot that is free now. Throws `unavailable` if there is none. */
  acquireNow(): () => void;
}

const busy = (cause: unknown): DomainError =>
  new DomainError('unavailable', 'The archive is busy. Try again in a few seconds.', { cause });

export const readSlots = (atOnce: number): HeldSlots => {
  const { enter, enterNow, leave } = slotQueue(atOnce);
  const releaseOnce = (): (() => void) => {
    let held = true;
    return () => {
      if (held) leave();
      held = false;
    };
  };
  return {
    acquire: async (signal) => {
      await enter(signal);
      return releaseOnce();
    },
    acquireNow: () => {
      if (!enterNow()) throw busy(new Error('all slots are taken'));
      return releaseOnce();
    },
    run: async (signal, work) => {
      const waits = enter(signal);
      if (waits !== undefined) await waits;
      try {
        return await work();
      } catch (error) {
        if (signal.aborted) throw busy(error);
        throw error;
      } finally {
        leave();
      }
    },
  };
};

const slotQueue = (atOnce: number) => {
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

  const enterNow = (): boolean => {
    if (free === 0) return false;
    free -= 1;
    return true;
  };

  return {
    enterNow,
    /** A free slot is taken at once, so that a read starts in the turn in which it came. */
    enter: (signal: AbortSignal): Promise<void> | undefined => {
      if (signal.aborted) throw busy(signal.reason);
      return enterNow() ? undefined : turn(signal);
    },
    /** A released slot goes to the read that has waited longest, so `free` does not change. */
    leave: (): void => {
      for (const next of waiting) {
        waiting.delete(next);
        next();
        return;
      }
      free += 1;
    },
  };
};

/** The same slots, but at most `atOnce` at a time, so that other reads never wait behind more of these. */
export const fewerSlots = (slots: ReadSlots, atOnce: number): ReadSlots => {
  const few = readSlots(atOnce);
  return { run: (signal, work) => few.run(signal, () => slots.run(signal, work)) };
};
