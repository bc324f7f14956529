import { type Knowledge, knowledgeBases } from '@almanac/contracts';

/** Unknown times come last. */
export const timeOf = ({ known_us }: Knowledge): number => known_us ?? Number.POSITIVE_INFINITY;

/** The best basis has the lowest rank. */
export const rankOf = ({ basis }: Knowledge): number =>
  basis === null ? knowledgeBases.length : knowledgeBases.indexOf(basis);

/** Of two knowledge times of one fact, that of the best basis is right, then the earliest. */
export const isBetter = (one: Knowledge, other: Knowledge): boolean =>
  rankOf(one) < rankOf(other) || (rankOf(one) === rankOf(other) && timeOf(one) < timeOf(other));
