import type { IncomingMessage, ServerResponse } from 'node:http';
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

/** A request of Node's server, which always has a path and a method. */
export type ReceivedRequest = IncomingMessage & { url: string; method: string };

/** A response of Node's server, with what the steps of its request note on it. */
export type NotedResponse = ServerResponse & { readonly locals: Record<string, unknown> };

/** What an answer from memory needs. It is sent before Express has the request. */
export interface UnroutedExchange {
  readonly request: ReceivedRequest;
  readonly response: NotedResponse;
  readonly caller: Caller;
  readonly reserveAnswer: ReserveAnswer;
}

export interface Exchange extends UnroutedExchange {
  readonly request: Request;
  readonly response: Response;
  readonly requestId: string;
}

export const contextOf = ({ requestId, caller }: Exchange): CallContext => ({
  requestId,
  account: caller.account,
  plan: caller.plan,
});
