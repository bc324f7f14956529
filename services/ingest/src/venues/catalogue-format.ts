import type { CatalogueFact } from '@almanac/contracts';
import type { NamedAltered } from '../values/altered.js';
import type { KnownCatalogue } from '../sources/known-catalogue.js';
import type { JsonObject } from '../sources/source.js';

/** The facts of a record of a venue's catalogue, and the fields that could not be used, such as `floor_strike: …`. */
export interface ReadFacts {
  /** A series comes before its events, and an event before its markets. */
  readonly facts: readonly CatalogueFact[];
  readonly dropped: readonly string[];
  /** Values stored with fewer digits than the record has, such as `floor_strike: rounded to 8 decimals`. */
  readonly altered: readonly NamedAltered[];
}

/** A table with the times of a chain's blocks, which fills name. */
export interface BlockTable {
  readonly name: string;
  readonly is: (columns: readonly string[]) => boolean;
  readonly read: (record: JsonObject) => { readonly block: number; readonly us: number } | null;
}

/** One form of a venue's catalogue, recognised by the keys of its records. */
export interface CatalogueFormat {
  readonly name: string;
  /** The key of the list in the venue's answers. It names an answer without records. */
  readonly listKey?: string;
  /** The kind of its records. An import reads its files in this order, because later kinds need earlier ones. */
  readonly entityKind: 'series' | 'events' | 'markets';
  readonly is: (record: JsonObject) => boolean;
  /** `receivedUs`: when the source received the record, null if it does not say so. */
  readonly read: (record: JsonObject, known: KnownCatalogue, receivedUs: number | null) => ReadFacts;
}
