import { reserveMs, windowMs } from './lease-script.js';
import type { Lease, LeaseRequest } from './leases.js';
import { type LocalLeases, localLeases } from './local-leases.js';

/**
 * The tokens that all gateways together may hold in reserve: 2 % of the limit. Tokens in reserve, and tokens whose use
 * was reported late, are missing in the window, so a caller gets at least 96 %.
 */
const reserveOf = (limit: number): number => Math.floor(limit / 50);

/** What an allowance needs to compute the remaining requests. */
export interface AllowanceContext {
  readonly gateways: () => number;
  /** Since when usage of other gateways is received, on the monotonic clock. Infinity while it is not. */
  readonly peerUpdatesSinceMs: () => number;
  /** Whether each gateway currently limits alone. */
  readonly isLocal: () => boolean;
  /** The monotonic clock. */
  readonly nowMs: () => number;
}

/** How many requests of an account this gateway may accept now. Times are milliseconds of the monotonic clock. */
export class Allowance {
  readonly own: LocalLeases = localLeases();
  /** The running request for a lease; at most one. */
  leaseRequest: Promise<void> | undefined;
  /** Requests that wait for a lease. */
  waiting = 0;
  #limitText: string;
  #policyText: string;
  /** Tokens of the current lease, and those that are not spent. Valid until `#endsMs`. */
  #granted = 0;
  #left = 0;
  #leasedMs = 0;
  #endsMs = 0;
  /** Upper bound of the requests in the window that nobody holds, as last received. */
  #free = 0;
  /** Gateways that share the account's window, as last received. */
  #holders = 1;
  /** The lowest value from other gateways since the lease was requested. It may be newer than the lease's answer. */
  #peerUpdate = Number.POSITIVE_INFINITY;
  /** When the oldest request leaves the window. */
  #resetMs = 0;
  /** Before this time no lease can be granted. */
  #pausedUntilMs = 0;
  /** Since when other gateways may spend tokens that Redis does not count, and how many this one may spend meanwhile. */
  #alone: { readonly fromMs: number; readonly tokens: number } | undefined;

  constructor(
    readonly account: string,
    public limit: number,
    private readonly context: AllowanceContext,
  ) {
    this.#limitText = String(limit);
    this.#policyText = policyTextOf(limit);
  }

  /** Applies a new limit after a change of plan. */
  setLimit(limit: number): void {
    this.limit = limit;
    this.#limitText = String(limit);
    this.#policyText = policyTextOf(limit);
    this.#pausedUntilMs = 0;
  }

  spend(): boolean {
    if (this.#left === 0 || this.context.nowMs() >= this.#endsMs) return false;
    this.#left -= 1;
    return true;
  }

  /** Seconds until the next possible lease, if none is possible now. Otherwise undefined. */
  refusedForS(): number | undefined {
    return this.context.nowMs() < this.#pausedUntilMs ? this.#secondsUntilReset() : undefined;
  }

  /** Ends the current lease, and describes the next one. */
  nextLease(nowMs: number): LeaseRequest {
    const { account, limit, waiting, own } = this;
    const unspent = this.#left;
    own.spent(nowMs, this.#granted - unspent);
    this.#granted = 0;
    this.#left = 0;
    const held = own.held(nowMs);
    return { account, limit, reserve: reserveOf(limit), waiting, unspent, held, epoch: own.epoch() };
  }

  /**
   * The tokens that this gateway may spend in any minute while gateways do not know of each other's: what it had spent
   * at the beginning, and an equal part of what was free. For all gateways that had leases, this adds up to the limit.
   * After a minute, and without a lease before, it is the gateway's share.
   */
  limitAlone(nowMs: number, { share, gateways }: { share: number; gateways: number }): number {
    if (this.#alone === undefined) {
      const isKnown = this.own.epoch() !== '' && nowMs - this.#leasedMs < windowMs;
      const tokens = isKnown ? this.own.held(nowMs).all + Math.floor(this.#free / gateways) : share;
      this.#alone = { fromMs: nowMs, tokens };
    }
    return nowMs - this.#alone.fromMs < windowMs ? this.#alone.tokens : share;
  }

  /** All gateways have reported what they spent alone. */
  isShared(): void {
    this.#alone = undefined;
  }

  /** Applies a granted lease. It ends by the time of its request, because in Redis it begins no earlier. */
  grant({ tokens, free, resetMs, pauseMs, holders, epoch }: Lease, requestedMs: number): void {
    const nowMs = this.context.nowMs();
    // A lease of this gateway alone is counted as spent already.
    const isShared = epoch !== '';
    if (isShared) this.own.listed(epoch);
    this.#granted = isShared ? tokens : 0;
    this.#left = tokens;
    this.#leasedMs = requestedMs;
    this.#endsMs = requestedMs + reserveMs;
    this.#free = Math.min(free, this.#peerUpdate);
    this.#holders = holders;
    this.#peerUpdate = Number.POSITIVE_INFINITY;
    this.#resetMs = nowMs + resetMs;
    this.#pausedUntilMs = tokens > 0 ? 0 : nowMs + pauseMs;
  }

  /** Another gateway took a lease and left `free`. Messages may arrive out of order, so the value never grows here. */
  applyPeerUsage(free: number): void {
    if (free < this.#free) this.#free = free;
    if (this.leaseRequest !== undefined) this.#peerUpdate = Math.min(free, this.#peerUpdate);
  }

  /** Appends the headers of every answer as names and values. The remaining requests are a lower bound. */
  appendHeaders(headers: (string | number)[]): void {
    const left = this.context.nowMs() < this.#endsMs ? this.#left : 0;
    const remaining = left + this.#guaranteedFree();
    const reset = this.#secondsUntilReset();
    headers.push(
      'RateLimit-Limit',
      this.#limitText,
      'RateLimit-Remaining',
      remaining,
      'RateLimit-Reset',
      reset,
      // The names of the draft since 2024, beside those that clients of earlier drafts read.
      'RateLimit-Policy',
      this.#policyText,
      'RateLimit',
      `"minute";r=${remaining};t=${reset}`,
    );
  }

  #guaranteedFree(): number {
    if (this.context.isLocal()) return this.#free;
    if (this.context.peerUpdatesSinceMs() > this.#leasedMs) return 0;
    // The latest lease of each other gateway may not have been received: a request, and its part of the reserve.
    const others = Math.max(this.context.gateways(), this.#holders) - 1;
    const reserved = Math.ceil((reserveOf(this.limit) * others) / (others + 1));
    return Math.max(0, this.#free - others - reserved);
  }

  /** Whole seconds from now, at least 1. */
  #secondsUntilReset(): number {
    return Math.max(1, Math.ceil((this.#resetMs - this.context.nowMs()) / 1_000));
  }
}

const policyTextOf = (limit: number): string => `"minute";q=${limit};w=60`;
