import { wordsOf } from '../tables/search-words.js';
import { subjectWordsOf } from '../words/search-terms.js';
import type { Vocabulary } from '../words/vocabulary.js';

/** Each is one more search. */
const attemptsMax = 3;
/** A longer text was pasted, not typed. */
const wordsMax = 12;

/**
 * The query with each word that no entity has replaced by the words of the nearest spelling. Empty if every word is
 * known, or if one has no near word.
 */
export const correctedQueries = (q: string, vocabulary: Vocabulary): string[] => {
  const words = wordsOf(q);
  const subject = new Set(subjectWordsOf(words));
  const isKnown = (word: string): boolean => !subject.has(word) || vocabulary.hasPrefix(word) !== false;
  if (words.length > wordsMax) return [];
  const choices = words.map((word) => (isKnown(word) ? [word] : vocabulary.nearest(word)));
  if (choices.every((choice, index) => choice[0] === words[index])) return [];
  const attempts = Math.min(attemptsMax, Math.max(...choices.map(({ length }) => length)));
  if (choices.some(({ length }) => length === 0)) return [];
  return Array.from({ length: attempts }, (_, attempt) =>
    choices.map((choice) => choice[Math.min(attempt, choice.length - 1)]).join(' '),
  );
};
