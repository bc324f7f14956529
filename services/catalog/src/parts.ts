import type { Bus } from '@almanac/bus';
import type { EventStore } from '@almanac/event-store';
import type { MarketDetailParts } from './market/market-detail.read-model.js';
import type { CatalogueSources } from './market/markets.js';
import type { RecordFacts } from './record/record-facts.js';

/** What the controller's answers are made from. */
export interface CatalogParts {
  readonly bus: Bus;
  readonly store: EventStore;
  readonly sources: CatalogueSources;
  readonly markets: MarketDetailParts['markets'];
  readonly record: RecordFacts;
}

export const PARTS = Symbol('parts of the catalog');
