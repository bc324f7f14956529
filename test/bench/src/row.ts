import type { Compared } from './pairs.js';
import type { BenchHarness } from './harness.js';

/** What a ratio must be; a rate is owed at least, a time or a size stays below. */
export type Threshold = { readonly atLeast: number } | { readonly below: number };

/** One line of the table. */
export interface BenchRow {
  readonly name: string;
  readonly against: string;
  /** What design and issues ask of the ratio; null where they ask nothing. */
  readonly threshold: Threshold | null;
  readonly unit: string;
  /** The command fails when it falls short: for figures that do not swing with the machine. */
  readonly strict?: boolean;
  readonly measure: (harness: BenchHarness) => Promise<Measured>;
}

export interface Measured extends Omit<Compared, 'ratios'> {
  /** More that was seen, such as each pair; a line each. */
  readonly notes: readonly string[];
}

/** As most rows are measured: the ratio is the median of the pairs. */
export const measuredPairs = ({ ratios, ...compared }: Compared): Measured => ({
  ...compared,
  notes: [ratios.map((ratio) => ratio.toFixed(2)).join(' ')],
});
