import type { Contract } from '@almanac/contracts';
import type { SendResult } from '../cache/send-response.js';
import type { Exchange } from '../http/exchange.js';
import type { Form } from '../http/content-negotiation.js';

/** A question to a service whose answer goes to the client as it is. */
export interface ForwardedCall {
  readonly contract: Contract;
  readonly input: unknown;
  readonly exchange: Exchange;
  /** The row's path, which tells one kind of answer from another. */
  readonly path: string;
  /** Which of the row's forms is asked for; undefined for a row that has JSON alone. */
  readonly form: Form | undefined;
  readonly cacheable?: { readonly ticker: string; readonly byAccount: boolean };
}

/** What the rows need of the process. */
export interface RouteDeps {
  /** Answers from memory what was asked in the very same words before; undefined when it cannot. */
  readonly answerFromCache: (path: string, exchange: Exchange, form: Form | undefined) => SendResult | undefined;
  readonly forward: (call: ForwardedCall) => SendResult;
  readonly pollExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly cancelExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly streamExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly sendFile: (exportId: string, exchange: Exchange) => Promise<void>;
}
