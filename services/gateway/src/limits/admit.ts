import type { Response } from 'express';
import type { Caller } from '../http/exchange.js';
import type { RateLimits } from './rate-limits.js';

/** Counts a request of a caller, whose answer, also a refusal, tells what remains. Rejects with `rate_limited`. */
export const admit =
  (limits: RateLimits) =>
  (caller: Caller, response: Response): Promise<void> | undefined => {
    const allowance = limits.of(caller);
    if (allowance === undefined) return undefined;
    response.locals['allowance'] = allowance;
    return limits.take(allowance);
  };
export type Admit = ReturnType<typeof admit>;
