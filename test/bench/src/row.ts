import type { BenchHarness } from './harness.js';

/** The required ratio: a minimum for a rate, a maximum for a time or a size. */
export type Threshold = { readonly atLeast: number } | { readonly below: number };

interface Comparison {
  readonly name: string;
  readonly against: string;
  /** The required ratio. Null without a requirement. */
  readonly threshold: Threshold | null;
  readonly unit: string;
  /** The command fails if this one misses its threshold: for figures that do not vary with the machine. */
  readonly strict?: boolean;
}

/** A folder and the amounts. */
export type BenchFolder = Pick<BenchHarness, 'home' | 'size'>;

type Measure =
  | { readonly isAlone?: false; readonly measure: (harness: BenchHarness) => Promise<Measured> }
  /** Needs no system, so its name alone does not start one. */
  | { readonly isAlone: true; readonly measure: (folder: BenchFolder) => Promise<Measured> };

/** What a user or an operator decides by. A whole run measures all rows, and docs/performance.md has them. */
export type BenchRow = Comparison &
  Measure & {
    /** One sentence in plain words: what a user or an operator gains by it. */
    readonly gain: string;
  };

/** What only a developer needs, who runs it by its name. */
export type BenchProfile = Comparison &
  Measure & {
    /** One sentence: what a developer sees by it. */
    readonly shows: string;
  };

export type BenchEntry = BenchRow | BenchProfile;

export const isRow = (entry: BenchEntry): entry is BenchRow => 'gain' in entry;

export interface Measured {
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
  /** Further results, such as the ratio of each pair, one per line. */
  readonly notes: readonly string[];
}

/** A figure and what it is compared with. */
export const measuredAgainst = (ours: number, reference: number, ...notes: readonly string[]): Measured => ({
  ours,
  reference,
  ratio: ours / reference,
  notes,
});
