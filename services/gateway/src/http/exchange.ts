import type { CallContext } from '@almanac/contracts';
import type { Request, Response } from 'express';

/** Who a request comes from, proven by its key. */
export interface Caller {
  readonly account: string;
  readonly keyId: string;
  readonly plan: string;
}

/** One authenticated request with its response. */
export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly caller: Caller;
}

/** Whose question it is, for another service. */
export const contextOf = ({ requestId, caller }: Exchange): CallContext => ({
  requestId,
  account: caller.account,
  plan: caller.plan,
});
