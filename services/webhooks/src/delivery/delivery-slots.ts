import { accountSlots, type ReadCaller } from '@almanac/runtime';
import type { Clock } from './clock.js';

/** An attempt that lasts longer leaves the slots of quick ones. */
export const slowMs = 1_000;

/**
 * Limits the concurrent attempts of this process, each of them a socket and a small body. Accounts take turns. One of them
 * has at most 48 of the quick slots and 128 of the slow ones beside others, and twice as many alone.
 */
export interface DeliverySlots {
  /** Resolves with the function that releases the slot. */
  acquire(caller: Pick<ReadCaller, 'account' | 'signal'>, isSlow: boolean): Promise<() => void>;
}

export const deliverySlots = (clock: Clock): DeliverySlots => {
  const quick = accountSlots({ atOnce: 256, accountAtOnce: 96 });
  const slow = accountSlots({ atOnce: 1_024, accountAtOnce: 256 });
  return {
    acquire: async ({ account, signal }, isSlow) => {
      const caller = { account, signal, remainingMs: Infinity };
      if (isSlow) return slow.acquire(caller);
      let release = await quick.acquire(caller);
      const ended = new AbortController();
      const move = async (): Promise<void> => {
        const releaseSlow = await slow.acquire({ ...caller, signal: AbortSignal.any([signal, ended.signal]) });
        if (ended.signal.aborted) return releaseSlow();
        release();
        release = releaseSlow;
      };
      // Rejected if the attempt ends before it gets a slow slot.
      const cancel = clock.at(clock.now() + slowMs, () => void move().catch(() => undefined));
      return () => {
        cancel();
        ended.abort();
        release();
      };
    },
  };
};
