import type { CallContext, Contract, OperatorHistory, OperatorStatus } from '@almanac/contracts';
import type { FeedName } from './feeds.js';
import type { SendResult } from './send-response.js';
import type { Exchange } from '../http/exchange.js';
import type { Form } from '../http/content-negotiation.js';

export interface Cacheable {
  readonly ticker: string;
  /** The answer also depends on the account. */
  readonly byAccount: boolean;
  /** Where its changes arrive. Default: `archive`. */
  readonly feed?: FeedName;
}

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
  readonly cacheable?: Cacheable;
}

export interface RouteDeps {
  readonly forward: (call: ForwardedCall) => SendResult;
  readonly pollExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly cancelExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly streamExport: (exportId: string, exchange: Exchange) => Promise<void>;
  readonly readOperatorStatus: (context: CallContext) => Promise<OperatorStatus>;
  readonly operatorHistory: () => OperatorHistory;
  readonly sendFile: (exportId: string, exchange: Exchange) => Promise<void>;
}
