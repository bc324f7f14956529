/** The nearest known word, if it is near enough to be a typing error. */
export const nearestOf = (word: string, known: readonly string[]): string | undefined => {
  const ranked = known.map((each) => [distance(word, each), each] as const);
  const best = ranked.reduce<(typeof ranked)[number] | undefined>(
    (nearest, each) => (nearest === undefined || each[0] < nearest[0] ? each : nearest),
    undefined,
  );
  return best !== undefined && best[0] <= Math.max(1, Math.floor(word.length / 3)) ? best[1] : undefined;
};

export const didYouMean = (word: string, known: readonly string[], prefix = ''): string => {
  const nearest = nearestOf(word, known);
  return nearest === undefined ? '' : `Did you mean ${prefix}${nearest}?`;
};

/** Damerau and Levenshtein: how many letters are added, left out, replaced, or exchanged with their neighbour. */
const distance = (one: string, other: string): number => {
  let beforeLast: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, at) => at);
  for (let at = 1; at <= one.length; at += 1) {
    const row = [at];
    for (let to = 1; to <= other.length; to += 1) {
      const same = one[at - 1] === other[to - 1] ? 0 : 1;
      const isExchanged = at > 1 && to > 1 && one[at - 1] === other[to - 2] && one[at - 2] === other[to - 1];
      row[to] = Math.min(
        (last[to] ?? 0) + 1,
        (row[to - 1] ?? 0) + 1,
        (last[to - 1] ?? 0) + same,
        isExchanged ? (beforeLast[to - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, row];
  }
  return last[other.length] ?? 0;
};
