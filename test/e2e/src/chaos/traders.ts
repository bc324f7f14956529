import type { FakeStripe } from '@almanac/test-stripe';
import type { ApiClient } from '../api.js';
import type { RetryContext } from './retry.js';

/** An account, at every gateway. */
export interface Trader {
  readonly account: string;
  readonly apis: readonly ApiClient[];
  /** Events that it has not yet gone for. */
  readonly eventsToBuy: string[];
  /** Events that it was told are unlocked, and never gives back. */
  readonly unlocked: string[];
}

/** An export that the API answered 200: from then on it owes a file. */
export interface Granted {
  readonly trader: Trader;
  readonly id: string;
}

export interface Trade extends RetryContext {
  readonly fakeStripe: FakeStripe;
  readonly traders: readonly Trader[];
  readonly granted: Granted[];
  readonly counts: RetryContext['counts'] & { purchases: number };
}
