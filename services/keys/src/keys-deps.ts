import type { Bus } from '@almanac/bus';
import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { LastUsedTimes } from './keyring/last-used.js';

/** What the handlers of this service work with. */
export interface KeysDeps {
  readonly bus: Bus;
  readonly store: EventStore;
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly uses: LastUsedTimes;
}
