import { type Lease, windowMs } from './leases.js';
import { type LocalLeases, localLeases } from './local-leases.js';

/** What a gateway takes at once: a sixtieth of the limit, so that a busy account asks once a second. */
export const leaseOf = (limit: number): number => Math.max(1, Math.floor(limit / 60));

/** What an allowance must know of the rest to say what remains. */
export interface AllowanceContext {
  /** How many gateways there are, as last known. */
  readonly gateways: () => number;
  /** Since when this hears what other gateways take, by the process' own clock; Infinity while it does not. */
  readonly peerUpdatesSinceMs: () => number;
  /** Whether each gateway limits on its own now. */
  readonly isLocal: () => boolean;
}

/** How many requests of an account this gateway may let through now. Times are milliseconds of the process' own clock. */
export class Allowance {
  readonly own: LocalLeases = localLeases();
  /** The one request for a lease that is under way. */
  leaseRequest: Promise<void> | undefined;
  #limitText: string;
  /** Unspent of the lease, until `#endsMs`. */
  #left = 0;
  #leasedMs = 0;
  #endsMs = 0;
  /** Of the window nobody holds at most that many, as was heard last. */
  #free = 0;
  /** The least that others left since a lease was asked for, whose answer may be overtaken by theirs. */
  #peerUpdate = Number.POSITIVE_INFINITY;
  /** When the oldest lease leaves the window. */
  #resetMs = 0;
  /** Until then it is of no use to ask for more. */
  #pausedUntilMs = 0;

  constructor(
    readonly account: string,
    public limit: number,
    private readonly context: AllowanceContext,
  ) {
    this.#limitText = String(limit);
  }

  /** The plan changed. */
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

  /** Seconds until it is worth asking again, where it is known that there is nothing before; else undefined. */
  refusedForS(): number | undefined {
    return performance.now() < this.#pausedUntilMs ? secondsUntil(this.#resetMs) : undefined;
  }

  /** Takes in what was granted. It counts from when it was asked for: the window of Redis begins no earlier. */
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

  /** Another gateway took a lease and left that much. What is older may be heard later, so it never grows here. */
  applyPeerUsage(free: number): void {
    if (free < this.#free) this.#free = free;
    if (this.leaseRequest !== undefined) this.#peerUpdate = Math.min(free, this.#peerUpdate);
  }

  /** Adds what every answer says, name by name with its value. The remaining ones are a lower bound. */
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
    // What another took a moment ago may not be heard yet, which is a lease at most.
    return Math.max(0, this.#free - (this.context.gateways() - 1) * leaseOf(this.limit));
  }
}

/** Whole seconds from now, at least 1. */
const secondsUntil = (ms: number): number => Math.max(1, Math.ceil((ms - performance.now()) / 1_000));
