import { editDistance } from '@almanac/runtime';

/** Longer paths are not compared. */
const pathLengthMax = 200;

/**
 * Finds the known path that is most similar to one that does not exist. `:name` in a known path matches any segment,
 * which the answer keeps. `prefix` may be missing.
 */
export const nearestPath = (known: readonly string[], prefix: string): ((path: string) => string | undefined) => {
  const candidates = known.map((path) => segmentsOf(path));
  const before = segmentsOf(prefix);
  return (path) => {
    if (path.length > pathLengthMax) return undefined;
    const segments = segmentsOf(path);
    const spellings = [segments, [...before, ...segments], [...before, ...segments.slice(1)]];
    let best: { readonly path: string; readonly distance: number } | undefined;
    for (const spelling of spellings) {
      for (const candidate of candidates) {
        const distance = distanceOf(spelling, candidate);
        if (distance < (best?.distance ?? Number.POSITIVE_INFINITY))
          best = { path: filled(candidate, spelling), distance };
      }
    }
    return best?.path;
  };
};

const segmentsOf = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

/** Infinity if a segment differs by more than a third. */
const distanceOf = (given: readonly string[], known: readonly string[]): number => {
  if (given.length !== known.length || known.length === 0) return Number.POSITIVE_INFINITY;
  let total = 0;
  for (const [index, name] of known.entries()) {
    if (name.startsWith(':')) continue;
    const segment = given[index]?.toLowerCase() ?? '';
    const distance = editDistance(segment, name.toLowerCase());
    if (distance > Math.max(1, Math.floor(name.length / 3))) return Number.POSITIVE_INFINITY;
    total += distance;
  }
  return total;
};

const filled = (known: readonly string[], given: readonly string[]): string =>
  `/${known.map((name, index) => (name.startsWith(':') ? (given[index] ?? '') : name)).join('/')}`;
