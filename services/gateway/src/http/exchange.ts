import type { CallContext } from '@almanac/contracts';
import type { Request, Response } from 'express';

export interface Caller {
  readonly account: string;
  readonly keyId: string;
  readonly plan: string;
}

export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly caller: Caller;
}

export const contextOf = ({ requestId, caller }: Exchange): CallContext => ({
  requestId,
  account: caller.account,
  plan: caller.plan,
});
