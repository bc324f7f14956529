import type { SeriesFee } from '@almanac/contracts';
import { isBetter, timeOf } from '../facts/knowledge-order.js';

/** A series has a few fees in its life. Of more, the earliest stay. */
const feesMax = 32;

/** Merges stated fees in any order. Each has one knowledge time: that of the best basis, then the earliest. */
export const mergeFees = (known: readonly SeriesFee[], stated: readonly SeriesFee[]): SeriesFee[] => {
  if (stated.length === 0) return [...known];
  const fees = new Map<string, SeriesFee>();
  for (const fee of [...known, ...stated]) {
    const key = JSON.stringify([fee.type, fee.multiplier, fee.valid_from_us]);
    const other = fees.get(key);
    if (other === undefined || isBetter(fee, other)) fees.set(key, fee);
  }
  const inOrder = [...fees].toSorted(([oneKey, one], [otherKey, other]) =>
    timeOf(one) === timeOf(other) ? (oneKey < otherKey ? -1 : 1) : timeOf(one) < timeOf(other) ? -1 : 1,
  );
  return inOrder.slice(0, feesMax).map(([, fee]) => fee);
};
