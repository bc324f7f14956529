import { counter, readGauge } from './metrics.js';
import type { Runtime } from './process.js';
import { busy, noAccount, type ReadCaller, type SlotLimits, accountQueue } from './account-queue.js';

/** Limits the concurrent ClickHouse reads of this process. Further reads wait, fairly by account. */
export interface AccountSlots {
  /** Throws `unavailable` if the read cannot begin or end in time. */
  run<T>(caller: ReadCaller, work: () => Promise<T>): Promise<T>;
}

/** Slots for reads that do not end with a promise. */
export interface HeldSlots extends AccountSlots {
  readonly waiting: number;
  /** Waits for a slot. Returns the function that releases it. Throws as `run` does. */
  acquire(caller: ReadCaller): Promise<() => void>;
  /** A slot that is free now. Throws `unavailable` if there is none. */
  acquireNow(): () => void;
}

export const accountSlots = (limits: SlotLimits): HeldSlots => {
  const queue = accountQueue(limits);
  const held = (account: string): (() => void) => {
    const beganAt = performance.now();
    let isHeld = true;
    return () => {
      if (isHeld) queue.leave(account, performance.now() - beganAt);
      isHeld = false;
    };
  };
  return {
    get waiting() {
      return queue.waiting;
    },
    acquire: async (caller) => {
      const { account = noAccount } = caller;
      await queue.enter(account, caller);
      return held(account);
    },
    acquireNow: () => {
      if (!queue.enterNow(noAccount)) throw busy(new Error('all slots are taken'));
      return held(noAccount);
    },
    run: async (caller, work) => {
      const { account = noAccount } = caller;
      const waits = queue.enter(account, caller);
      if (waits !== undefined) await waits;
      const release = held(account);
      try {
        return await work();
      } catch (error) {
        if (caller.signal.aborted) throw busy(error);
        throw error;
      } finally {
        release();
      }
    },
  };
};

/** The slots of a service for the reads of its callers, with their metrics. One account gets half of them at most, and a quarter beside others. */
export const serviceReadSlots = (
  { READS_CONCURRENT: atOnce, READS_WAITING: waitingMax }: { READS_CONCURRENT: number; READS_WAITING: number },
  { health: { metrics } }: Pick<Runtime, 'health'>,
): HeldSlots => {
  const refused = counter(
    'almanac_reads_refused_total',
    'reads that got no slot, by reason: the queue is full, they would be late, or their caller ended',
    ['reason'],
    metrics,
  );
  const accountAtOnce = Math.ceil(atOnce / 2);
  const slots = accountSlots({ atOnce, accountAtOnce, waitingMax, onRefused: (reason) => refused.inc({ reason }) });
  readGauge('almanac_reads_waiting', 'reads that wait for a slot', () => slots.waiting, metrics);
  return slots;
};

/** The same slots, but at most `atOnce` at a time, so that other reads never wait behind more of these. */
export const fewerSlots = (slots: AccountSlots, atOnce: number): AccountSlots => {
  const few = accountSlots({ atOnce });
  return { run: (caller, work) => few.run(caller, () => slots.run(caller, work)) };
};

/** The caller of work in the background, which takes turns with the accounts. */
export const backgroundCaller = (timeoutMs: number): ReadCaller => {
  const deadline = performance.now() + timeoutMs;
  return {
    account: undefined,
    signal: AbortSignal.timeout(timeoutMs),
    get remainingMs() {
      return deadline - performance.now();
    },
  };
};
