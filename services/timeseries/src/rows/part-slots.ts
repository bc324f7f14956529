import { accountSlots, type HeldSlots, type ReadCaller } from '@almanac/runtime';

/** The slots for queries of long streams. */
export interface PartSlots extends HeldSlots {
  /**
   * A slot for a part of a slow reader. All of them together have a quarter of the slots at most, so hundreds of slow readers are one
   * account among the others.
   */
  acquireSlow(caller: ReadCaller): Promise<() => void>;
}

export const partSlots = (atOnce: number): PartSlots => {
  const slots = accountSlots({ atOnce });
  const slow = accountSlots({ atOnce: Math.max(1, Math.floor(atOnce / 4)) });
  return {
    get waiting() {
      return slots.waiting;
    },
    acquire: (caller) => slots.acquire(caller),
    acquireNow: () => slots.acquireNow(),
    run: (caller, work) => slots.run(caller, work),
    acquireSlow: async (caller) => {
      const releaseSlow = await slow.acquire(caller);
      try {
        const release = await slots.acquire(caller);
        return () => {
          release();
          releaseSlow();
        };
      } catch (error) {
        releaseSlow();
        throw error;
      }
    },
  };
};
