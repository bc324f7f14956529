import type { PathId } from '../ids.js';
import type { Case, Parameter } from '../parameters.js';

/** An endpoint of the specification with its rows: the only place where its bounds are written down. */
export interface Endpoint {
  readonly method: 'GET' | 'POST' | 'DELETE';
  /** As the specification writes it. */
  readonly path: string;
  readonly id?: PathId;
  /** In the specification's order, in which faults are told. */
  readonly query?: readonly Parameter[];
  /** What is sent in the body, and further cases. */
  readonly cases?: readonly Case[];
  /** An address that answers 200. */
  readonly good: string;
  /** How long its answer may take. */
  readonly deadlineMs: number;
}
