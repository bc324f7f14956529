import type { Compared } from './pairs.js';
import type { World } from './world.js';

/** One line of the table. */
export interface BenchRow {
  readonly name: string;
  readonly against: string;
  /** The least ratio that design and issues ask for; null where none is. */
  readonly owed: number | null;
  readonly unit: string;
  readonly measure: (world: World) => Promise<Compared>;
}
