/** A source of numbers from 0 to 1, such as `seededRandom`. */
export type Random = () => number;

/** An integer of a range without its end. */
export const pick = (random: Random, from: number, to: number): number => from + Math.floor(random() * (to - from));

export const oneOf = <T>(random: Random, list: readonly [T, ...T[]]): T =>
  list[pick(random, 0, list.length)] ?? list[0];
