import type { CallContext } from '@almanac/contracts';
import type { Request, Response } from 'express';
import type { ReserveAnswer } from './answer-memory.js';

export interface Caller {
  readonly account: string;
  readonly keyId: string;
  readonly plan: string;
  /** The time, in Unix seconds, as of which the key reads the archive. Null: it reads the present. */
  readonly asOf: number | null;
}

export interface Exchange {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
  readonly caller: Caller;
  readonly reserveAnswer: ReserveAnswer;
}

export const contextOf = ({ requestId, caller }: Exchange): CallContext => ({
  requestId,
  account: caller.account,
  plan: caller.plan,
});
