import type { StandIn } from '@almanac/test-stripe';
import type { ApiClient } from '../api.js';
import type { Insisting } from './insist.js';

/** An account, at every gateway. */
export interface Trader {
  readonly account: string;
  readonly apis: readonly ApiClient[];
  /** Events that it has not yet gone for. */
  readonly wanted: string[];
  /** Events that it was told are unlocked, and never gives back. */
  readonly unlocked: string[];
}

/** An export that the API answered 200: from then on it owes a file. */
export interface Granted {
  readonly trader: Trader;
  readonly id: string;
}

export interface Trade extends Insisting {
  readonly standIn: StandIn;
  readonly traders: readonly Trader[];
  readonly granted: Granted[];
  readonly counts: Insisting['counts'] & { purchases: number };
}
