import type { Response } from 'express';
import type { Caller } from '../http/exchange.js';
import type { RateLimits } from './rate-limits.js';

/** Counts a request and attaches the allowance to its response, also to an error. Rejects with `rate_limited`. */
export const admit =
  (limits: RateLimits) =>
  (caller: Caller, response: Response): Promise<void> | undefined => {
    const allowance = limits.of(caller);
    if (allowance === undefined) return undefined;
    response.locals['allowance'] = allowance;
    return limits.take(allowance);
  };
export type Admit = ReturnType<typeof admit>;
