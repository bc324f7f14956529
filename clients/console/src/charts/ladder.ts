import { withoutNoise } from '../format/numbers.js';
import { askOf, type Level } from './heatmap.js';

/** One level of the ladder, with the contracts up to it. */
export interface Rung {
  readonly side: 'bid' | 'ask';
  readonly price: number;
  readonly size: number;
  readonly depth: number;
}

/** Rungs of one side, best first. */
const rungsOf = (side: Rung['side'], levels: readonly Level[]): Rung[] => {
  let depth = 0;
  return levels.map(([price, size]) => {
    depth = withoutNoise(depth + size);
    return { side, price, size, depth };
  });
};

/** The ladder from the highest ask down to the lowest bid. */
export const ladderOf = (yes: readonly Level[], no: readonly Level[]): Rung[] => [
  ...rungsOf('ask', no.map(askOf)).toReversed(),
  ...rungsOf('bid', yes),
];
