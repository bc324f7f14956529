import type { Measured } from './row.js';

/** One run of one side: its rate, and a checksum of its answers. */
export interface RunResult {
  readonly rate: number;
  readonly digest: number;
}

/** Runs one side on the work of this round, which is the same for both sides. */
export type RunSide = (round: number) => Promise<RunResult>;

export interface Sides {
  readonly ours: RunSide;
  readonly reference: RunSide;
}

/** Thrown for different answers: a wrong answer is a fault, not a slow result. */
export class DifferentAnswers extends Error {
  override readonly name = 'DifferentAnswers';
}

/**
 * Runs pairs, where each side goes first in turn: a machine whose speed varies slows both sides of a pair alike. The
 * median of the pairs counts. The first `warmPairs` do not.
 */
export const comparePairs = async (sides: Sides, pairs: number, warmPairs = 0): Promise<Measured> => {
  const results: { ours: number; reference: number }[] = [];
  for (let round = 0; round < warmPairs + pairs; round += 1) {
    const [first, second] = round % 2 === 0 ? (['ours', 'reference'] as const) : (['reference', 'ours'] as const);
    const one = await sides[first](round);
    const other = await sides[second](round);
    if (one.digest !== other.digest)
      throw new DifferentAnswers(`the two sides gave different answers: ${one.digest} and ${other.digest}`);
    const [ours, reference] = first === 'ours' ? [one.rate, other.rate] : [other.rate, one.rate];
    if (round >= warmPairs) results.push({ ours, reference });
  }
  const ratios = results.map(({ ours, reference }) => ours / reference);
  return {
    ours: median(results.map(({ ours }) => ours)),
    reference: median(results.map(({ reference }) => reference)),
    ratio: median(ratios),
    notes: [ratios.map((ratio) => ratio.toFixed(2)).join(' ')],
  };
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};

export const quantile = (values: readonly number[], part: number): number =>
  values.toSorted((a, b) => a - b)[Math.min(values.length - 1, Math.floor(part * values.length))] ?? Number.NaN;

export const secondsSince = (startedAt: number): number => (performance.now() - startedAt) / 1_000;
