import type { PlanId, PlanTerms } from '@almanac/contracts';
import { entryCache, type Logger } from '@almanac/runtime';
import type { Caller } from '../http/exchange.js';
import { rateLimited } from '../http/error-response.js';
import { Allowance, type AllowanceContext } from './allowance.js';
import type { Lease, LeaseRequest, SharedLeases } from './leases.js';
import type { LimitMetrics } from './metrics.js';

/** How long Redis is not called after a failure. If it hangs, each call costs half a second. */
const retryAfterFailureMs = 1_000;

/** Within this time after an outage, every gateway is connected again and reports what it granted alone. */
const usualSettleMs = 5_000;

export interface RateLimits {
  /** The allowance of a caller's account. Undefined for a plan without a limit. */
  of(caller: Caller): Allowance | undefined;
  /** Takes one request, synchronously while a lease lasts. Throws or rejects with `rate_limited`. */
  take(allowance: Allowance): Promise<void> | undefined;
  /** Applies that another gateway left `free` requests of an account's window. */
  applyPeerUsage(account: string, free: number): void;
  /** Reports that Redis answers, as observed elsewhere. */
  redisAnswers(): void;
  isLocal(): boolean;
}

export interface RateLimitOptions extends Omit<AllowanceContext, 'isLocal'> {
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly shared: Pick<SharedLeases, 'lease'>;
  /** The place of this gateway among all, from 0. */
  readonly rank: () => number;
  readonly accountsMax: number;
  /** 5 s, except with another clock. */
  readonly settleMs?: number;
  readonly metrics: LimitMetrics;
  readonly log: Logger;
}

/**
 * Limits an account's requests per minute over all gateways. Redis grants leases; each gateway holds at most one and
 * spends it locally (docs/decisions/056-exact-leases.md). While Redis is unavailable, each grants its share.
 */
export const createRateLimits = (options: RateLimitOptions): RateLimits => {
  const { metrics, accountsMax } = options;
  const limits = new Map(Object.entries(options.plans).map(([plan, terms]) => [plan, terms.requestsPerMinute]));
  const allowances = entryCache<string, Allowance>(accountsMax);
  const source = leaseSource(options);
  const context: AllowanceContext = { ...options, isLocal: source.isLocal };

  const requestLease = async (allowance: Allowance): Promise<void> => {
    const requestedMs = options.nowMs();
    allowance.grant(await source.lease(allowance, requestedMs), requestedMs);
  };
  const refuseFull = (allowance: Allowance): void => {
    const seconds = allowance.refusedForS();
    if (seconds === undefined) return;
    metrics.refused.inc();
    throw rateLimited(allowance.limit, seconds);
  };
  const wait = async (allowance: Allowance): Promise<void> => {
    allowance.waiting += 1;
    try {
      for (;;) {
        allowance.leaseRequest ??= requestLease(allowance).finally(() => (allowance.leaseRequest = undefined));
        await allowance.leaseRequest;
        if (allowance.spend()) return;
        refuseFull(allowance);
      }
    } finally {
      allowance.waiting -= 1;
    }
  };
  return {
    of: ({ account, plan }) => {
      const limit = limits.get(plan);
      if (limit === null) return undefined;
      if (limit === undefined) throw new Error(`the plan ${plan} has no terms`);
      const existing = allowances.get(account);
      if (existing === undefined) {
        const allowance = new Allowance(account, limit, context);
        allowances.set(account, allowance);
        return allowance;
      }
      if (existing.limit !== limit) existing.setLimit(limit);
      return existing;
    },
    take: (allowance) => {
      if (allowance.spend()) return undefined;
      refuseFull(allowance);
      return wait(allowance);
    },
    applyPeerUsage: (account, free) => allowances.get(account)?.applyPeerUsage(free),
    redisAnswers: source.redisAnswers,
    isLocal: source.isLocal,
  };
};

/**
 * The part of a limit that one gateway grants by itself. The parts of all gateways add up to the limit. For each
 * account, other gateways grant the requests that cannot be divided.
 */
export const shareOf = (
  account: string,
  limit: number,
  { gateways, rank }: { gateways: number; rank: number },
): number => {
  const first = Array.from(account, (character) => character.codePointAt(0) ?? 0).reduce((sum, one) => sum + one, rank);
  return Math.floor(limit / gateways) + (first % gateways < limit % gateways ? 1 : 0);
};

/** Leases from Redis, or from this gateway alone while Redis does not answer. */
const leaseSource = (options: RateLimitOptions) => {
  const { shared, gateways, rank, nowMs: clock, settleMs = usualSettleMs, metrics, log } = options;
  let restUntilMs = 0;
  let settledMs = 0;
  let local = false;
  const become = (now: boolean, error?: unknown): void => {
    if (local === now) return;
    local = now;
    metrics.local.set(now ? 1 : 0);
    if (now) log.warn({ err: error }, 'Redis does not answer; this gateway limits requests by itself');
    else {
      settledMs = clock() + settleMs;
      log.info('requests are limited across all gateways again');
    }
  };
  const shareIn = ({ account, limit }: LeaseRequest) => {
    const among = { gateways: gateways(), rank: rank() };
    return { share: shareOf(account, limit, among), gateways: among.gateways };
  };
  const leaseHere = (allowance: Allowance, request: LeaseRequest, nowMs: number): Lease => {
    metrics.leases.inc({ from: 'memory' });
    const division = shareIn(request);
    const limit = Math.min(division.share, allowance.limitAlone(nowMs, division));
    return allowance.own.lease(nowMs, { limit, waiting: request.waiting });
  };
  /** Other gateways may not have reported yet, so this one takes no more than it could alone. */
  const leaseSoon = async (allowance: Allowance, request: LeaseRequest, nowMs: number): Promise<Lease> => {
    const most = Math.max(0, allowance.limitAlone(nowMs, shareIn(request)) - allowance.own.used(nowMs));
    const granted = await shared.lease({ ...request, waiting: Math.min(request.waiting, most), reserve: 0 });
    return { ...granted, pauseMs: Math.min(granted.pauseMs, Math.max(1, settledMs - nowMs)) };
  };
  const leaseShared = async (allowance: Allowance, request: LeaseRequest, nowMs: number): Promise<Lease> => {
    if (nowMs < settledMs) return leaseSoon(allowance, request, nowMs);
    allowance.isShared();
    return shared.lease(request);
  };
  return {
    lease: async (allowance: Allowance, nowMs: number): Promise<Lease> => {
      const request = allowance.nextLease(nowMs);
      if (nowMs < restUntilMs) return leaseHere(allowance, request, nowMs);
      try {
        // The first lease after an outage is already one of those.
        if (local) settledMs = nowMs + settleMs;
        const granted = await leaseShared(allowance, request, nowMs);
        become(false);
        metrics.leases.inc({ from: 'redis' });
        return granted;
      } catch (error) {
        restUntilMs = clock() + retryAfterFailureMs;
        become(true, error);
        return leaseHere(allowance, request, nowMs);
      }
    },
    redisAnswers: (): void => {
      restUntilMs = 0;
      become(false);
    },
    isLocal: (): boolean => local,
  };
};
