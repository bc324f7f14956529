import type { PathId } from '../ids.js';
import type { Case, Parameter } from '../parameters.js';

/** An endpoint of the specification with its rows. Its bounds are written only here. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** The path as the specification writes it. */
  readonly path: string;
  readonly id?: PathId;
  /** In the specification's order, in which faults are reported. */
  readonly query?: readonly Parameter[];
  /** The cases of the body, and further ones. */
  readonly cases?: readonly Case[];
  /** A URL that answers 200. */
  readonly good: string;
  /** The time limit of its answer. */
  readonly deadlineMs: number;
}
