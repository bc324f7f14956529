import type { FakeStripe } from '@almanac/fake-stripe';
import type { ApiClient } from '../api.js';
import type { RetryContext } from './retry.js';

/** An account with a client for every gateway. */
export interface Buyer {
  readonly account: string;
  readonly apis: readonly ApiClient[];
  /** Events that it has not tried to buy yet. */
  readonly eventsToBuy: string[];
  /** Events that the API reported as unlocked, and that it never refunds. */
  readonly unlocked: string[];
}

/** An export that the API answered with 200, so its file must exist in the end. */
export interface Granted {
  readonly buyer: Buyer;
  readonly id: string;
}

export interface PurchaseRun extends RetryContext {
  readonly fakeStripe: FakeStripe;
  readonly buyers: readonly Buyer[];
  readonly granted: Granted[];
  readonly counts: RetryContext['counts'] & { purchases: number };
}
