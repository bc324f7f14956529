import { type CallContext, internalError } from '@almanac/contracts';
import type { Msg } from '@nats-io/transport-node';
import { headerNames } from '../names.js';

/**
 * The caller and the time limit of a call. `signal` aborts when the time is used up or the caller cancels. `body` has
 * the rows after the input.
 */
export class RpcContext {
  readonly requestId: string;
  readonly account: string | undefined;
  readonly plan: string | undefined;
  readonly deadline: number;
  private deadlineAbort: AbortController | undefined;
  private timer: NodeJS.Timeout | undefined;

  constructor(
    message: Msg,
    timeoutMsMax: number,
    readonly body: Uint8Array,
  ) {
    const value = (name: string) => message.headers?.get(name) || undefined;
    this.requestId = value(headerNames.requestId) ?? 'none';
    this.account = value(headerNames.account);
    this.plan = value(headerNames.plan);
    const budget = Number(value(headerNames.timeoutMs) ?? timeoutMsMax);
    this.deadline = performance.now() + (budget > 0 ? Math.min(budget, timeoutMsMax) : timeoutMsMax);
  }

  /** The rest of the caller's time limit in milliseconds, on this process' monotonic clock. */
  get remainingMs(): number {
    return Math.max(0, this.deadline - performance.now());
  }

  get signal(): AbortSignal {
    this.deadlineAbort ??= new AbortController();
    this.timer ??= setTimeout(() => this.deadlineAbort?.abort(deadlineReason()), Math.ceil(this.remainingMs));
    return this.deadlineAbort.signal;
  }

  cancel(): void {
    this.deadlineAbort ??= new AbortController();
    this.deadlineAbort.abort(cancelledReason());
  }

  end(): void {
    clearTimeout(this.timer);
  }

  /** The calling account. A call that needs an account and has none is an internal error, not a user error. */
  get caller(): string {
    if (this.account === undefined) throw internalError(new Error('The call has no account.'));
    return this.account;
  }

  /** The context for calls to other services within the rest of the time limit. */
  get forwardedContext(): CallContext {
    return {
      requestId: this.requestId,
      ...(this.account === undefined ? {} : { account: this.account }),
      ...(this.plan === undefined ? {} : { plan: this.plan }),
      timeoutMs: this.remainingMs,
    };
  }
}

const cancelledReason = (): DOMException => new DOMException('The caller no longer waits.', 'AbortError');
const deadlineReason = (): DOMException => new DOMException('The time of the call is spent.', 'TimeoutError');
