import { knowledgeBases, type SeriesFee } from '@almanac/contracts';

/** A series has a few fees in its life. Of more, the earliest stay. */
const feesMax = 32;

/** Merges stated fees in any order. Each has one knowledge time: that of the best basis, then the earliest. */
export const mergeFees = (known: readonly SeriesFee[], stated: readonly SeriesFee[]): SeriesFee[] => {
  if (stated.length === 0) return [...known];
  const fees = new Map<string, SeriesFee>();
  for (const fee of [...known, ...stated]) {
    const key = JSON.stringify([fee.type, fee.multiplier, fee.valid_from_us]);
    const other = fees.get(key);
    if (other === undefined || compare(orderOf(fee), orderOf(other)) < 0) fees.set(key, fee);
  }
  const inOrder = [...fees].toSorted(
    ([oneKey, one], [otherKey, other]) => compare(timeOf(one), timeOf(other)) || (oneKey < otherKey ? -1 : 1),
  );
  return inOrder.slice(0, feesMax).map(([, fee]) => fee);
};

const timeOf = ({ known_us }: SeriesFee): readonly number[] => [known_us ?? Number.MAX_SAFE_INTEGER];

const orderOf = (fee: SeriesFee): readonly number[] => [
  fee.basis === null ? knowledgeBases.length : knowledgeBases.indexOf(fee.basis),
  ...timeOf(fee),
];

const compare = (one: readonly number[], other: readonly number[]): number =>
  one.map((value, index) => value - (other[index] ?? 0)).find((difference) => difference !== 0) ?? 0;
