// The names that a user may have meant. Before the first build, the compiled `nearestName` of libs/runtime is not there.
const nearMax = 5;

/** Pairs of adjacent characters: names that share many are near, also with a missing or a swapped character. */
const pairsOf = (text) => new Set(Array.from({ length: text.length - 1 }, (_, at) => text.slice(at, at + 2)));

const likeness = (one, other) => {
  const [ofOne, ofOther] = [pairsOf(one.toLowerCase()), pairsOf(other.toLowerCase())];
  const shared = [...ofOne].filter((pair) => ofOther.has(pair)).length;
  return (2 * shared) / Math.max(1, ofOne.size + ofOther.size);
};

/** Up to five of the names that are like what was given, the nearest first. */
export const nearNames = (given, names) => {
  const found = [...new Set(names)]
    .map((name) => ({ name, like: likeness(given, name) }))
    .filter(({ like }) => like > 0.4);
  // oxlint-disable-next-line unicorn/no-array-sort -- Node 18 has no toSorted.
  found.sort((one, other) => other.like - one.like);
  return found.slice(0, nearMax).map(({ name }) => name);
};
