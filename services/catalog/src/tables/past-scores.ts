import { anyOf, allOf, type Condition } from './filters.js';
import { byExactId, byIdPrefix, scores, type TextQuery } from './text-query.js';
import { byAllTerms } from './term-conditions.js';
import type { SearchTerm } from '../words/search-terms.js';
import type { Vocabulary } from '../words/vocabulary.js';

/**
 * The scores of a search as of a time, as SQL. No index and no list of words knows which words an entity had then, so
 * every row is read. Each word follows a blank.
 */
export interface ScoredText {
  /** The column of the id. */
  readonly id: string;
  /** An SQL text of the entity's own words. */
  readonly own: string;
  /** The same with the words of what it belongs to. */
  readonly withParents: string;
}

/** No phrase goes over the bar. */
const texts = (...columns: string[]): string => `concat(${columns.join(", ' |', ")}, ' ')`;

export const scoredTexts = {
  market: { id: 'ticker', own: texts('words'), withParents: texts('words', 'event_words', 'series_words') },
  event: { id: 'event_ticker', own: texts('event_words'), withParents: texts('event_words', 'series_words') },
  series: { id: 'series', own: texts('series_words'), withParents: texts('series_words') },
} as const satisfies Readonly<Record<string, ScoredText>>;

/**
 * Which words exist does not matter: a form that no entity had matches none, and each word is also stored without accents.
 * Spellings are not corrected, because the nearest word may be of a later title.
 */
export const pastVocabulary: Vocabulary = {
  has: () => true,
  hasPrefix: () => true,
  accented: () => [],
  nearest: () => [],
};

/** ClickHouse searches for at most 255 texts at once. Only a very long word has more splits. */
const formsMax = 250;

const hasWord = (text: string, name: string, word: string): Condition => ({
  sql: `position(${text}, {${name}:String}) > 0`,
  params: { [name]: word },
});

type Matching = (term: SearchTerm, index: number) => Condition;

/** The text has a form or a phrase of the term. */
const byForms =
  (text: string): Matching =>
  ({ forms, phrases }, index) => {
    const found = [...forms, ...phrases.map((phrase) => phrase.join(' '))].slice(0, formsMax);
    const name = `past_forms_${index}`;
    return {
      sql: `multiSearchAny(${text}, {${name}:Array(String)})`,
      params: { [name]: found.map((form) => ` ${form} `) },
    };
  };

/** The same, or a word starts with the term's word. */
const byPrefixes =
  (text: string): Matching =>
  (term, index) =>
    anyOf(hasWord(text, `past_start_${index}`, ` ${term.word}`), byForms(text)(term, index));

const byWords = ({ words }: TextQuery, text: string): Condition[] =>
  words.length === 0 ? [] : [allOf(...words.map((word, index) => hasWord(text, `past_word_${index}`, ` ${word} `)))];

/** The scores of `scores`, best first, with what a row must have for them. */
const levelsOf = (query: TextQuery, { id, own, withParents }: ScoredText): (readonly [number, Condition])[] => {
  const { terms } = query;
  return [
    [scores.id, byExactId(query, id)],
    [scores.idPrefix, byIdPrefix(query, id)],
    ...(query.words.length === 0 ? [] : [[scores.title, hasWord(own, 'past_title', ` ${query.title} `)] as const]),
    ...byWords(query, own).map((words) => [scores.words, words] as const),
    ...(terms.length === 0
      ? []
      : ([
          [scores.forms, byAllTerms(terms, byForms(own))],
          [scores.parents, byAllTerms(terms, byForms(withParents))],
          [scores.prefixes, byAllTerms(terms, byPrefixes(own))],
          [scores.parentPrefixes, byAllTerms(terms, byPrefixes(withParents))],
        ] as const)),
  ];
};

/** The score of a row. 0: it does not match. Without words, every row matches. */
export const pastScore = (query: TextQuery | null, text: ScoredText): Condition => {
  if (query === null) return { sql: '1.', params: {} };
  const levels = levelsOf(query, text);
  const params: Record<string, unknown> = {};
  for (const [, condition] of levels) Object.assign(params, condition.params);
  return { sql: `multiIf(${levels.map(([score, { sql }]) => `${sql}, ${score.toFixed(4)}`).join(', ')}, 0.)`, params };
};

/** On markets as of a time: the market, or what it belongs to, matches with any score. */
export const anyPastMatch = (query: TextQuery | null, text: ScoredText = scoredTexts.market): Condition =>
  query === null ? allOf() : anyOf(...levelsOf(query, text).map(([, condition]) => condition));
