import type { CatalogueFact } from '@almanac/contracts';
import type { GeneratedRow } from './row.js';

/** A time of a market of which nothing is recorded, in Unix seconds. */
export interface Hole {
  readonly ticker: string;
  readonly startS: number;
  readonly endS: number;
}

/** What a part of the archive has. */
export interface GeneratedPart {
  readonly facts: readonly CatalogueFact[];
  /** Generated while they are read, market by market. */
  readonly rows: Iterable<GeneratedRow>;
  /** A row in a hole is not stored. */
  readonly hole?: Hole;
}
