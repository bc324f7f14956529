/** The known name that a mistyped one most likely means: at most a third of its letters differ. */
export const nearestName = (given: string, known: Iterable<string>): string | undefined => {
  let nearest: { name: string; distance: number } | undefined;
  for (const name of known) {
    const distance = editDistance(given.toLowerCase(), name.toLowerCase());
    const isLikely = distance <= Math.max(1, Math.floor(Math.min(given.length, name.length) / 3));
    if (isLikely && distance < (nearest?.distance ?? Infinity)) nearest = { name, distance };
  }
  return nearest?.name;
};

/** Letters to insert, delete, replace or swap with their neighbour to get from one text to the other. */
const editDistance = (one: string, other: string): number => {
  let [beforeLast, last]: number[][] = [[], Array.from({ length: other.length + 1 }, (_, column) => column)];
  for (let row = 1; row <= one.length; row += 1) {
    const current = [row];
    for (let column = 1; column <= other.length; column += 1) {
      const isSame = one[row - 1] === other[column - 1];
      const isSwapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      current[column] = Math.min(
        (current[column - 1] ?? 0) + 1,
        (last?.[column] ?? 0) + 1,
        (last?.[column - 1] ?? 0) + (isSame ? 0 : 1),
        isSwapped ? (beforeLast?.[column - 2] ?? 0) + 1 : Infinity,
      );
    }
    [beforeLast, last] = [last, current];
  }
  return last?.[other.length] ?? 0;
};
