import type { Vocabulary } from './vocabulary.js';
import { formsOf, joinedFormsOf, unitFormsOf, withoutAccents } from './word-forms.js';

/** What matches one word of a query. */
export interface SearchTerm {
  readonly word: string;
  /** The word and its other forms: without and with accents, singular and plural, other names, joined with the next. */
  readonly forms: readonly string[];
  /** Words that follow each other and mean the same: `tik tok` for `tiktok`. */
  readonly phrases: readonly (readonly [string, string])[];
  /** Whether an entity may have a form of it. Otherwise it is incomplete or misspelt. */
  readonly isKnown: boolean;
}

/** Parts of a split word: shorter ones are found everywhere. */
const partMin = 3;

/** Words of a question that tell nothing about its subject. */
const fillWords = new Set(
  'a an and are at be by do does for how in is of on the there to what when which who will with'.split(' '),
);

/** The words of a query without fill words, unless there are no others. */
export const subjectWordsOf = (words: readonly string[]): readonly string[] => {
  const found = words.filter((word) => !fillWords.has(word));
  return found.length === 0 ? words : found;
};

/** The terms of a query, one for each word except fill words, without forms that no entity has. */
export const termsOf = (all: readonly string[], vocabulary: Vocabulary): SearchTerm[] => {
  const words = subjectWordsOf(all);
  const pairs = words.map((word, index) => {
    const next = words[index + 1];
    return next === undefined ? [] : existing(joinedFormsOf(word, next), vocabulary, false);
  });
  return words.map((word, index) => {
    const units = unitFormsOf(word);
    const forms = [
      ...existing([...formsOf(word), ...units.words], vocabulary, true),
      ...(pairs[index] ?? []),
      ...(pairs[index - 1] ?? []),
    ];
    const phrases = [...units.pairs.filter((pair) => areKnown(pair, vocabulary)), ...splitsOf(word, vocabulary)];
    return { word, forms: [...new Set([word, ...forms])], phrases, isKnown: forms.length + phrases.length > 0 };
  });
};

/** Those that an entity has, and the same with accents. `ifUnknown` counts while the words are not in memory. */
const existing = (forms: readonly string[], vocabulary: Vocabulary, ifUnknown: boolean): string[] =>
  forms.flatMap((form) => [
    ...((vocabulary.has(form) ?? ifUnknown) ? [form] : []),
    ...vocabulary.accented(withoutAccents(form)),
  ]);

const areKnown = (pair: readonly string[], vocabulary: Vocabulary): boolean =>
  pair.every((word) => vocabulary.has(word) === true);

const splitsOf = (word: string, vocabulary: Vocabulary): [string, string][] => {
  const found: [string, string][] = [];
  for (let at = partMin; at <= word.length - partMin; at += 1) {
    const pair: [string, string] = [word.slice(0, at), word.slice(at)];
    if (areKnown(pair, vocabulary)) found.push(pair);
  }
  return found;
};
