import type { EventStore } from '@almanac/event-store';
import type { EventsKept } from './event/events-kept.js';
import type { CatalogueSources } from './market/markets.js';
import type { MarketStates } from './market/states/market-states.js';
import type { KeptAnswers } from './kept/kept-answers.js';
import type { RecordFacts } from './record/record-facts.js';
import type { SeriesFigures } from './series/series-figures.js';
import type { CatalogueChanges } from './tables/changes.js';

/** What the controller's answers are made from. */
export interface CatalogParts {
  readonly store: EventStore;
  readonly sources: CatalogueSources;
  readonly markets: MarketStates;
  readonly events: EventsKept;
  readonly figures: SeriesFigures;
  readonly kept: KeptAnswers;
  readonly changes: CatalogueChanges;
  readonly record: RecordFacts;
}

export const PARTS = Symbol('parts of the catalog');
