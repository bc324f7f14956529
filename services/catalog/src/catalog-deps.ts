import type { RpcClient } from '@almanac/bus';
import type { AccountSlots } from '@almanac/runtime';
import type { EventStore } from '@almanac/event-store';
import type { EventCache } from './event/event-cache.js';
import type { CatalogueSources } from './market/markets.js';
import type { MarketStates } from './market/states/market-states.js';
import type { AnswerCache } from './answers/answer-cache.js';
import type { RecordFacts } from './record/record-facts.command.js';
import type { SeriesFigures } from './series/series-figures.js';
import type { ChangeLog } from './tables/change-log.js';
import type { CatalogueChanges } from './tables/changes.js';

/** What the handlers of this service work with. */
export interface CatalogDeps {
  readonly store: EventStore;
  /** Other services, for what only they know. */
  readonly rpc: Pick<RpcClient, 'call'>;
  readonly sources: CatalogueSources;
  readonly markets: MarketStates;
  readonly events: EventCache;
  readonly figures: SeriesFigures;
  readonly answers: AnswerCache;
  readonly slots: AccountSlots;
  readonly changes: CatalogueChanges;
  readonly changeLog: ChangeLog;
  readonly record: RecordFacts;
}
