import type { SeriesState } from '@almanac/contracts';
import { isTyped, searchText, type SearchableEntity, searchWordsOf } from './search-words.js';
import { lowerOf, scores, type TextQuery } from './text-query.js';
import { type TermMatches, textIndex, type TextIndex } from '../words/text-index.js';

/** All series by their words, in memory. */
export type SeriesText = TextIndex<SeriesState>;

const searchableOf = ({ id, label, category_label, category }: SeriesState): SearchableEntity => ({
  id,
  title: label,
  texts: [category_label, category],
});

export const seriesText = (): SeriesText =>
  textIndex({ textOf: (state) => `${searchText(searchableOf(state))} `, isTyped });

export const putSeries = (text: SeriesText, state: SeriesState): void =>
  text.put(state.id, state, searchWordsOf(searchableOf(state)));

/** Which series match which terms of a text query. */
export interface SeriesMatches extends TermMatches {
  readonly text: SeriesText;
}

export const matchSeries = (text: SeriesText, query: TextQuery): SeriesMatches => ({ text, ...text.match(query) });

/** The ids of all series that match a term. */
export const seriesMatching = (
  { text, ...matches }: SeriesMatches,
  level: 'forms' | 'prefixes',
  term: number,
): string[] =>
  text.entities.flatMap((state, number) =>
    state !== undefined && ((matches[level][number] ?? 0) & (1 << term)) !== 0 ? [state.id] : [],
  );

/** The matching series with their scores. */
export const scoredSeries = (
  { text, ...matches }: SeriesMatches,
  { id, title }: TextQuery,
): { state: SeriesState; score: number }[] => {
  const titled = new Set(text.numbersWith(title));
  return text.entities.flatMap((state, number) => {
    if (state === undefined) return [];
    const score = idScore(lowerOf(state.id), id) || textScore(matches, { number, isTitled: titled.has(number) });
    return score === 0 ? [] : [{ state, score }];
  });
};

export const idScore = (lowerId: string, id: string): number => {
  if (!lowerId.startsWith(id)) return 0;
  return lowerId === id ? scores.id : scores.idPrefix;
};

/** The score of an entity by its own words. */
export const textScore = (
  { all, words, forms, prefixes }: TermMatches,
  { number, isTitled }: { number: number; isTitled: boolean },
): number => {
  if (all === 0) return 0;
  if (isTitled) return scores.title;
  if (words[number] === all) return scores.words;
  if (forms[number] === all) return scores.forms;
  return prefixes[number] === all ? scores.prefixes : 0;
};
