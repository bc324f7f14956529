import type { CatalogueFact } from '@almanac/contracts';
import type { KnownCatalogue } from './known-catalogue.js';
import type { JsonObject } from './source.js';

/** What a record of a venue's catalogue says, and the fields of it that could not be used, such as `floor_strike: …`. */
export interface ReadFacts {
  /** A thing stands before what belongs to it. */
  readonly facts: readonly CatalogueFact[];
  readonly dropped: readonly string[];
  /** Values kept with fewer digits than the record has, such as `floor_strike: rounded to 8 decimals`. */
  readonly altered: readonly string[];
}

/** One form of a venue's catalogue, recognised by the keys of its records. */
export interface CatalogueFormat {
  readonly name: string;
  /** What its records are. Files of one import are read in this order, whatever theirs: the later need the earlier. */
  readonly entityKind: 'series' | 'events' | 'markets';
  readonly is: (record: JsonObject) => boolean;
  readonly read: (record: JsonObject, known: KnownCatalogue) => ReadFacts;
}
