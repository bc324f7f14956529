/** One run of one side: its rate, and a checksum of its answers. */
export interface RunResult {
  readonly rate: number;
  readonly digest: number;
}

/** Runs one side on the work of this round, which is the same for both sides. */
export type RunSide = (round: number) => Promise<RunResult>;

export interface Compared {
  readonly ours: number;
  readonly reference: number;
  readonly ratio: number;
  /** One ratio for each pair, in order. */
  readonly ratios: readonly number[];
}

/** Thrown for different answers: a wrong answer is a fault, not a slow result. */
export class DifferentAnswers extends Error {
  override readonly name = 'DifferentAnswers';
}

/** Runs pairs, where each side goes first in turn: a machine whose speed varies slows both sides of a pair alike. */
export const comparePairs = async (sides: { ours: RunSide; reference: RunSide }, pairs: number): Promise<Compared> => {
  const results: { ours: RunResult; reference: RunResult }[] = [];
  for (let round = 0; round < pairs; round += 1) {
    const [first, second] = round % 2 === 0 ? (['ours', 'reference'] as const) : (['reference', 'ours'] as const);
    const one = await sides[first](round);
    const other = await sides[second](round);
    if (one.digest !== other.digest)
      throw new DifferentAnswers(`the two sides gave different answers: ${one.digest} and ${other.digest}`);
    results.push(first === 'ours' ? { ours: one, reference: other } : { ours: other, reference: one });
  }
  const ratios = results.map(({ ours, reference }) => ours.rate / reference.rate);
  return {
    ours: median(results.map(({ ours }) => ours.rate)),
    reference: median(results.map(({ reference }) => reference.rate)),
    ratio: median(ratios),
    ratios,
  };
};

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = Math.floor(sorted.length / 2);
  const upper = sorted[middle] ?? Number.NaN;
  return sorted.length % 2 === 1 ? upper : ((sorted[middle - 1] ?? Number.NaN) + upper) / 2;
};
