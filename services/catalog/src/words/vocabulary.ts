import { nearestWords } from './nearest-word.js';
import type { SortedWords } from './sorted-words.js';

/** The words of all markets, events and series, as far as they are in memory. */
export interface Vocabulary {
  /** Undefined if an entity that is not in memory may have the word. */
  has(word: string): boolean | undefined;
  /** Whether a word starts with this one. Undefined if the words are not in memory. */
  hasPrefix(prefix: string): boolean | undefined;
  /** The words with accents that are this word without them. */
  accented(plain: string): readonly string[];
  /** The words with the fewest edits. */
  nearest(word: string): readonly string[];
}

/** Undefined in the list: these words are not in memory. */
export const vocabularyOf = (read: () => readonly (SortedWords | undefined)[]): Vocabulary => {
  const known = (): SortedWords[] => read().filter((words) => words !== undefined);
  const some = (holds: (words: SortedWords) => boolean): boolean | undefined => {
    const all = read();
    return all.some((words) => words !== undefined && holds(words)) || (all.includes(undefined) ? undefined : false);
  };
  return {
    has: (word) => some((words) => words.has(word)),
    hasPrefix: (prefix) => some((words) => words.prefixMatch(prefix).n > 0),
    accented: (plain) => known().flatMap((words) => words.accented(plain)),
    nearest: (word) => {
      const found = known().flatMap((words) => nearestWords(word, words.all()));
      const fewest = Math.min(...found.map(({ edits }) => edits));
      return [...new Set(found.filter(({ edits }) => edits === fewest).map((one) => one.word))];
    },
  };
};
