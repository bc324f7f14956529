/** Longer names are not compared: the time grows with the product of both lengths. */
const lengthMax = 120;

/**
 * The known name that is most similar to a given one, or undefined if none is similar. Case and separators do not
 * count, so `dryrun` is `dry_run`. Otherwise about a third of the characters may differ, and a name may be cut short.
 */
export const nearestName = (given: string, known: Iterable<string>): string | undefined => {
  const word = bare(given);
  if (word === '' || word.length > lengthMax) return undefined;
  let best: string | undefined;
  let least = Number.POSITIVE_INFINITY;
  for (const name of known) {
    const distance = distanceOf(word, bare(name));
    if (distance < least) [best, least] = [name, distance];
    if (least === 0) break;
  }
  return best;
};

const bare = (name: string): string => name.toLowerCase().replaceAll(/[\s_\-.]/g, '');

/** Infinity if the names are not similar. */
const distanceOf = (given: string, known: string): number => {
  if (given === known) return 0;
  const longer = Math.max(given.length, known.length);
  if (longer > lengthMax) return Number.POSITIVE_INFINITY;
  const allowed = Math.max(1, Math.floor(longer / 3));
  const isCutShort = given.length >= 2 && known.startsWith(given);
  if (isCutShort) return Math.min(allowed, known.length - given.length);
  if (longer < 3 || Math.abs(given.length - known.length) > allowed) return Number.POSITIVE_INFINITY;
  const distance = editDistance(given, known);
  return distance <= allowed ? distance : Number.POSITIVE_INFINITY;
};

/**
 * The number of inserted, removed, replaced and swapped neighbouring characters between two texts (optimal string
 * alignment).
 */
export const editDistance = (one: string, other: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, column) => column);
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const same = one[row - 1] === other[column - 1];
      const isSwap = row > 1 && column > 1 && one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      const replaced = (last[column - 1] ?? 0) + (same ? 0 : 1);
      const removed = (last[column] ?? 0) + 1;
      const inserted = (current[column - 1] ?? 0) + 1;
      const swapped = isSwap ? (beforeLast[column - 2] ?? 0) + 1 : replaced;
      current.push(Math.min(replaced, removed, inserted, swapped));
    }
    [beforeLast, last] = [last, current];
  }
  return last[other.length] ?? 0;
};
