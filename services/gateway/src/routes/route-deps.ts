import type { CallContext, Contract, OperatorStatus } from '@almanac/contracts';
import type { SendResult } from '../cache/send-response.js';
import type { Exchange } from '../http/exchange.js';
import type { Form } from '../http/content-negotiation.js';

/** A call whose answer goes to the client unchanged. */
export interface ForwardedCall {
  readonly contract: Contract;
  readonly input: unknown;
  readonly exchange: Exchange;
  /** The route's path. It distinguishes answers in the cache. */
  readonly path: string;
  /** The requested representation. Undefined for a route with JSON only. */
  readonly form: Form | undefined;
  /** Whether an answer that is not cached has an ETag. */
  readonly revalidates?: boolean;
  readonly cacheable?: { readonly ticker: string; readonly byAccount: boolean };
}

export interface RouteDeps {
  /** Answers from memory if an identical request came before. Undefined if it cannot. */
  readonly answerFromCache: (path: string, exchange: Exchange, form: Form | undefined) => SendResult | undefined;
  readonly forward: (call: ForwardedCall) => SendResult;
  readonly pollExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly cancelExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly streamExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly readOperatorStatus: (context: CallContext) => Promise<OperatorStatus>;
  readonly sendFile: (exportId: string, exchange: Exchange) => Promise<void>;
}
