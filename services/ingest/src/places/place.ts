import type { Target } from './http.js';
import type { RemoteFacts } from './remote-file.js';

/** One object of a place that is not a local folder. */
export interface PlaceObject {
  readonly target: Target;
  /** Null: only its listing is known. */
  readonly facts: RemoteFacts | null;
  readonly size: number | null;
  /** Of two equal ones, the bytes are equal. Null if nothing says so. */
  readonly identity: string | null;
  /** Whether the user named this object, and not a prefix. */
  readonly isNamed: boolean;
}
