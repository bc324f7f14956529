import type { Bus, KeyMarks } from '@almanac/bus';
import type { PlanId, PlanTerms } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import type { LastUsedTimes } from './keyring/last-used.js';
import type { RecentChanges } from './recent-changes.js';

/** What the handlers of this service work with. */
export interface KeysDeps {
  readonly bus: Bus;
  readonly store: EventStore;
  /** In a cluster. */
  readonly marks: KeyMarks | undefined;
  readonly changes: RecentChanges;
  readonly plans: Readonly<Record<PlanId, PlanTerms>>;
  readonly uses: LastUsedTimes;
}
