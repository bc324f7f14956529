import { withoutAccents } from './word-forms.js';

/** How many words start with a text, and whether the text is a word itself. */
export interface PrefixMatch {
  readonly n: number;
  readonly isWord: boolean;
}

/** A set of words that also finds prefixes and forms with accents. */
export interface SortedWords {
  readonly size: number;
  has(word: string): boolean;
  add(words: Iterable<string>): void;
  prefixMatch(prefix: string): PrefixMatch;
  withPrefix(prefix: string): readonly string[];
  /** The words with accents that are this word without them. */
  accented(plain: string): readonly string[];
  all(): Iterable<string>;
  clear(): void;
}

/** Maximum number of unsorted words. They are searched one by one. */
const addedMax = 1_000;

export const sortedWords = (): SortedWords => {
  /** In JavaScript's order, which also puts words with a common prefix together. */
  let sorted: readonly string[] = [];
  /** Words that are not in `sorted`. */
  let added = new Set<string>();
  const accented = new Map<string, string[]>();

  const isSorted = (word: string): boolean => sorted[firstAt(sorted, (one) => one >= word)] === word;
  const range = (prefix: string): [from: number, behind: number] => [
    firstAt(sorted, (one) => one >= prefix),
    firstAt(sorted, (one) => one > prefix && !one.startsWith(prefix)),
  ];
  const addedWith = (prefix: string): string[] => [...added].filter((one) => one.startsWith(prefix));
  const addAccented = (word: string): void => {
    const plain = withoutAccents(word);
    if (plain === word) return;
    accented.set(plain, [...(accented.get(plain) ?? []), word]);
  };

  return {
    get size() {
      return sorted.length + added.size;
    },
    has: (word) => added.has(word) || isSorted(word),
    add: (words) => {
      const size = added.size;
      for (const word of words)
        if (!added.has(word) && !isSorted(word)) {
          added.add(word);
          addAccented(word);
        }
      if (added.size > addedMax && added.size > size) {
        sorted = [...sorted, ...added].toSorted();
        added = new Set();
      }
    },
    prefixMatch: (prefix) => {
      const [from, behind] = range(prefix);
      const isWord = sorted[from] === prefix || added.has(prefix);
      return { n: behind - from + addedWith(prefix).length, isWord };
    },
    withPrefix: (prefix) => [...sorted.slice(...range(prefix)), ...addedWith(prefix)],
    accented: (plain) => accented.get(plain) ?? [],
    *all() {
      yield* sorted;
      yield* added;
    },
    clear: () => {
      sorted = [];
      added = new Set();
      accented.clear();
    },
  };
};

/** Binary search: the first index for which `holds` is true, given that it is true for all later ones. */
const firstAt = (sorted: readonly string[], holds: (one: string) => boolean): number => {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >>> 1;
    if (holds(sorted[middle] ?? '')) to = middle;
    else from = middle + 1;
  }
  return from;
};
