import type { StoreParts } from './observations/store-observations.js';
import type { Previews } from './preview/preview.read-model.js';
import type { SnapshotsParts } from './snapshots/snapshots.read-model.js';

/** What the controller is made of, and the tokens that Nest injects it by. */
export interface TimeseriesParts {
  readonly storing: StoreParts;
  readonly snapshots: SnapshotsParts;
  readonly previews: Previews;
}

export const STORING = Symbol('storing');
export const SNAPSHOTS = Symbol('snapshots');
export const PREVIEWS = Symbol('previews');
