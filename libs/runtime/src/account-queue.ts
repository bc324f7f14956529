import { DomainError } from '@almanac/contracts';

/** Whom a read serves. `RpcContext` is one. */
export interface ReadCaller {
  /** Reads of one account wait in one queue. */
  readonly account: string | undefined;
  readonly signal: AbortSignal;
  readonly remainingMs: number;
}

export interface SlotLimits {
  readonly atOnce: number;
  /**
   * Of one account while it is the only one, and half of it beside others. The rest stays free for them, so that they
   * do not wait for its reads. Default: `atOnce`, beside others, too.
   */
  readonly accountAtOnce?: number;
  /** Reads that may wait. Default: no limit. */
  readonly waitingMax?: number;
  /** Reads of one account that may wait. Default: a quarter of `waitingMax`. */
  readonly accountWaitingMax?: number;
  readonly onRefused?: (reason: Refusal) => void;
}

/** Why a read gets no slot: the queue is full, it could not end in time, or its caller stopped waiting. */
export type Refusal = 'full' | 'late' | 'ended';

/** A caller that leaves gets this error, too. */
export const busy = (cause: unknown, waitMs = 0): DomainError =>
  new DomainError('unavailable', 'The archive is busy. Try again in a few seconds.', {
    cause,
    more: { retry_after_s: Math.min(retryAfterSMax, Math.max(1, Math.ceil(waitMs / 1_000))) },
  });

/** The account of calls without one: of another service, or work in the background. */
export const noAccount = '';

const retryAfterSMax = 15;
const accountShare = 1 / 4;
/** Weight of the last read in the average. */
const newestShare = 1 / 8;

type Start = () => void;

/** Waiting reads in one queue per account, in the order of the next turns of their accounts. */
const accountQueues = () => {
  const queues = new Map<string, Set<Start>>();
  let count = 0;
  const sizeOf = (account: string): number => queues.get(account)?.size ?? 0;
  const remove = (account: string, start: Start): void => {
    const queue = queues.get(account);
    if (queue?.delete(start) !== true) return;
    count -= 1;
    if (queue.size === 0) queues.delete(account);
  };
  return {
    get count() {
      return count;
    },
    sizeOf,
    remove,
    add: (account: string, start: Start): void => {
      queues.set(account, (queues.get(account) ?? new Set()).add(start));
      count += 1;
    },
    /** Removes the oldest read of the first account that may start one. That account's next turn is the last. */
    takeNext: (mayStart: (account: string) => boolean): { account: string; start: Start } | undefined => {
      for (const [account, queue] of queues) {
        const [start] = queue;
        if (start === undefined || !mayStart(account)) continue;
        remove(account, start);
        if (queues.delete(account)) queues.set(account, queue);
        return { account, start };
      }
      return undefined;
    },
    /** How many reads start before one that an account adds now. */
    aheadOf: (account: string): number => {
      const own = sizeOf(account);
      let ahead = own;
      for (const [other, { size }] of queues) if (other !== account) ahead += Math.min(size, own + 1);
      return ahead;
    },
  };
};

/** An account counts as active this long after a read of it started. */
const activeMs = 5_000;

/** Accounts whose reads started a short time ago. Calls without an account do not count. */
const activeAccounts = () => {
  const startedAt = new Map<string, number>();
  return {
    started: (account: string): void => {
      startedAt.delete(account);
      if (account !== noAccount) startedAt.set(account, performance.now());
    },
    hasOthers: (account: string): boolean => {
      const fromMs = performance.now() - activeMs;
      for (const [oldest, ms] of startedAt) {
        if (ms >= fromMs) break;
        startedAt.delete(oldest);
      }
      return startedAt.size > (startedAt.has(account) ? 1 : 0);
    },
  };
};

/** How many reads run, and how long they take. */
const runningReads = ({ atOnce, accountAtOnce }: SlotLimits) => {
  const running = new Map<string, number>();
  const active = activeAccounts();
  const limitOf = (account: string): number => {
    if (accountAtOnce === undefined) return atOnce;
    return active.hasOthers(account) ? Math.max(1, Math.floor(accountAtOnce / 2)) : accountAtOnce;
  };
  let free = atOnce;
  let averageMs = 0;
  return {
    get averageMs() {
      return averageMs;
    },
    mayStart: (account: string): boolean => free > 0 && (running.get(account) ?? 0) < limitOf(account),
    start: (account: string): void => {
      free -= 1;
      active.started(account);
      running.set(account, (running.get(account) ?? 0) + 1);
    },
    end: (account: string, tookMs: number): void => {
      // Work in the background, such as a preview of a long market, says nothing about the next read.
      if (account !== noAccount) averageMs += (tookMs - averageMs) * (averageMs === 0 ? 1 : newestShare);
      free += 1;
      const count = (running.get(account) ?? 1) - 1;
      if (count === 0) running.delete(account);
      else running.set(account, count);
    },
    /** The expected time until a read starts that has this many before it, some of them of its account. */
    waitMs: (account: string, { ahead, own }: { ahead: number; own: number }): number =>
      averageMs * Math.max(ahead / atOnce, own / limitOf(account)),
  };
};

/**
 * Slots for reads, with one queue per account. A released slot goes to the next account in turn, to its oldest read. A
 * read that cannot begin and end within its time is refused at once.
 */
export const accountQueue = (limits: SlotLimits) => {
  const { waitingMax = Infinity, accountWaitingMax = waitingMax * accountShare, onRefused = () => undefined } = limits;
  const queues = accountQueues();
  const reads = runningReads(limits);

  const refuse = (reason: Refusal, cause: unknown, waitMs = 0): DomainError => {
    onRefused(reason);
    return busy(cause, waitMs);
  };
  const mayWait = (account: string): boolean => queues.count < waitingMax && queues.sizeOf(account) < accountWaitingMax;
  const refuseIfHopeless = (account: string, remainingMs: number): void => {
    const own = queues.sizeOf(account);
    const waitMs = reads.waitMs(account, { ahead: queues.aheadOf(account), own });
    if (!mayWait(account)) throw refuse('full', new Error('the queue of reads is full'), waitMs);
    if (waitMs + reads.averageMs > remainingMs)
      throw refuse('late', new Error('the queue of reads is too long'), waitMs);
  };
  const turn = (account: string, { signal }: ReadCaller): Promise<void> =>
    new Promise((resolve, reject) => {
      const leave = (): void => {
        queues.remove(account, start);
        reject(refuse('ended', signal.reason));
      };
      const start = (): void => {
        signal.removeEventListener('abort', leave);
        reads.start(account);
        resolve();
      };
      queues.add(account, start);
      signal.addEventListener('abort', leave, { once: true });
    });
  const enterNow = (account: string): boolean => {
    if (!reads.mayStart(account)) return false;
    reads.start(account);
    return true;
  };

  return {
    get waiting() {
      return queues.count;
    },
    enterNow,
    /** Whether work of the account can start now or wait. */
    hasCapacity: (account: string): boolean => reads.mayStart(account) || mayWait(account),
    /** A free slot is taken at once, so that a read starts in the turn in which it came. */
    enter: (account: string, caller: ReadCaller): Promise<void> | undefined => {
      if (caller.signal.aborted) throw refuse('ended', caller.signal.reason);
      if (enterNow(account)) return undefined;
      refuseIfHopeless(account, caller.remainingMs);
      return turn(account, caller);
    },
    leave: (account: string, tookMs: number): void => {
      reads.end(account, tookMs);
      for (let next = queues.takeNext(reads.mayStart); next; next = queues.takeNext(reads.mayStart)) next.start();
    },
  };
};
