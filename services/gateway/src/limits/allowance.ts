import { type Lease, windowMs } from './leases.js';
import { type LocalLeases, localLeases } from './local-leases.js';

/** The tokens of one lease: a sixtieth of the limit, so that a busy account needs one lease per second. */
export const leaseOf = (limit: number): number => Math.max(1, Math.floor(limit / 60));

/** What an allowance needs to compute the remaining requests. */
export interface AllowanceContext {
  readonly gateways: () => number;
  /** Since when usage of other gateways is received, on the monotonic clock. Infinity while it is not. */
  readonly peerUpdatesSinceMs: () => number;
  /** Whether each gateway currently limits alone. */
  readonly isLocal: () => boolean;
}

/** How many requests of an account this gateway may accept now. Times are milliseconds of the monotonic clock. */
export class Allowance {
  readonly own: LocalLeases = localLeases();
  /** The running request for a lease; at most one. */
  leaseRequest: Promise<void> | undefined;
  #limitText: string;
  /** Unused tokens of the lease, valid until `#endsMs`. */
  #left = 0;
  #leasedMs = 0;
  #endsMs = 0;
  /** Upper bound of the unleased requests in the window, as last received. */
  #free = 0;
  /** The lowest value from other gateways since the lease was requested. It may be newer than the lease's answer. */
  #peerUpdate = Number.POSITIVE_INFINITY;
  /** When the oldest lease leaves the window. */
  #resetMs = 0;
  /** Before this time no lease can be granted. */
  #pausedUntilMs = 0;

  constructor(
    readonly account: string,
    public limit: number,
    private readonly context: AllowanceContext,
  ) {
    this.#limitText = String(limit);
  }

  /** Applies a new limit after a change of plan. */
  setLimit(limit: number): void {
    this.limit = limit;
    this.#limitText = String(limit);
    this.#pausedUntilMs = 0;
  }

  spend(): boolean {
    if (this.#left === 0 || performance.now() >= this.#endsMs) return false;
    this.#left -= 1;
    return true;
  }

  /** Seconds until the next possible lease, if none is possible now. Otherwise undefined. */
  refusedForS(): number | undefined {
    return performance.now() < this.#pausedUntilMs ? secondsUntil(this.#resetMs) : undefined;
  }

  /** Applies a granted lease. It counts from the time of its request, because the window in Redis begins no earlier. */
  grant({ tokens, free, resetMs, pauseMs }: Lease, requestedMs: number): void {
    const nowMs = performance.now();
    this.own.note(requestedMs, tokens);
    this.#left = tokens;
    this.#leasedMs = requestedMs;
    this.#endsMs = requestedMs + windowMs;
    this.#free = Math.min(free, this.#peerUpdate);
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
    headers.push(
      'RateLimit-Limit',
      this.#limitText,
      'RateLimit-Remaining',
      this.#left + this.#guaranteedFree(),
      'RateLimit-Reset',
      secondsUntil(this.#resetMs),
    );
  }

  #guaranteedFree(): number {
    if (this.context.isLocal()) return this.#free;
    if (this.context.peerUpdatesSinceMs() > this.#leasedMs) return 0;
    // The latest lease of each other gateway may not have been received.
    return Math.max(0, this.#free - (this.context.gateways() - 1) * leaseOf(this.limit));
  }
}

/** Whole seconds from now, at least 1. */
const secondsUntil = (ms: number): number => Math.max(1, Math.ceil((ms - performance.now()) / 1_000));
