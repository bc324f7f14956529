import type { Compared } from './pairs.js';
import type { BenchHarness } from './harness.js';

/** The required ratio: a minimum for a rate, a maximum for a time or a size. */
export type Threshold = { readonly atLeast: number } | { readonly below: number };

/** One line of the table. */
export interface BenchRow {
  readonly name: string;
  readonly against: string;
  /** The required ratio. Null without a requirement. */
  readonly threshold: Threshold | null;
  readonly unit: string;
  /** The command fails when this row misses its threshold: for figures that do not vary with the machine. */
  readonly strict?: boolean;
  /** Takes up to an hour: a full run leaves the row out, and the beginning of its name selects it. */
  readonly isLong?: boolean;
  readonly measure: (harness: BenchHarness) => Promise<Measured>;
}

export interface Measured extends Omit<Compared, 'ratios'> {
  /** Further results, such as each pair, one per line. */
  readonly notes: readonly string[];
}

/** The result of most rows: the ratio is the median of the pairs. */
export const measuredPairs = ({ ratios, ...compared }: Compared): Measured => ({
  ...compared,
  notes: [ratios.map((ratio) => ratio.toFixed(2)).join(' ')],
});
