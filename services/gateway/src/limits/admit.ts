import type { Caller, NotedResponse } from '../http/exchange.js';
import { noteHeaders } from '../http/reply.js';
import type { RateLimits } from './rate-limits.js';

/** Counts a request and attaches the allowance to its response, also to an error. Rejects with `rate_limited`. */
export const admit =
  (limits: RateLimits) =>
  (caller: Caller, response: NotedResponse): Promise<void> | undefined => {
    const allowance = limits.of(caller);
    if (allowance === undefined) return undefined;
    noteHeaders(response, allowance);
    return limits.take(allowance);
  };
export type Admit = ReturnType<typeof admit>;

/** Does what `admit` does if no request for a lease is needed. Otherwise it counts nothing and returns false. */
export const admitNow =
  (limits: Pick<RateLimits, 'of'>) =>
  (caller: Caller, response: NotedResponse): boolean => {
    const allowance = limits.of(caller);
    if (allowance === undefined) return true;
    if (!allowance.spend()) return false;
    noteHeaders(response, allowance);
    return true;
  };
