import type { ClickHouse } from '@almanac/clickhouse';
import { z } from 'zod';
import type { SearchTerm } from '../words/search-terms.js';
import type { PrefixMatch } from '../words/sorted-words.js';
import { allOf, anyOf, type Condition } from './filters.js';
import { type QueryContext, readRows } from './read-rows.js';
import { wordsOfStart } from './search-words.js';
import { byExactId, byIdPrefix, byWords, type TextQuery } from './text-query.js';
import type { WordCache } from './word-cache.js';

/** Conditions on a table with the column `words`, by the number of the term. */
export type TermCondition = (term: SearchTerm, index: number) => Condition;

/** The words have a form or a phrase of the term. By the text index. */
export const byForms: TermCondition = ({ forms, phrases }, index) =>
  anyOf(
    { sql: `hasAnyTokens(words, {q_forms_${index}:Array(String)})`, params: { [`q_forms_${index}`]: forms } },
    ...phrases.map((phrase, at) => byPhrase(phrase, `q_phrase_${index}_${at}`)),
  );

const byPhrase = (phrase: readonly [string, string], name: string): Condition => ({
  sql: `(hasAllTokens(words, {${name}:Array(String)}) AND position(concat(words, ' '), {${name}_text:String}) > 0)`,
  params: { [name]: phrase, [`${name}_text`]: ` ${phrase.join(' ')} ` },
});

/** The same, or a word starts with the term's word. Reads `words`, so only for tables of some ten thousand rows. */
export const byPrefixScan: TermCondition = (term, index) => anyOf(byForms(term, index), prefixPattern(term, index));

/** Words contain only letters and digits, so the pattern needs no escaping. */
const prefixPattern: TermCondition = ({ word }, index) => ({
  sql: `words LIKE concat('% ', {q_word_${index}:String}, '%')`,
  params: { [`q_word_${index}`]: word },
});

/** Maximum number of words that one prefix expands to. A prefix with more matches is searched without expansion. */
const expansionsMax = 1_000;

/** On `markets`, where `matches` has the words of markets that start with the words of the terms. By the text index. */
export const byPrefixes =
  (matches: readonly PrefixMatch[]): TermCondition =>
  (term, index) => {
    const match = matches[index];
    if (match === undefined || isOnlyWord(match) || match.n === 0) return byForms(term, index);
    if (match.n > expansionsMax) return byPrefixScan(term, index);
    const { sql, params } = byForms(term, index);
    const expanded = `hasAnyTokens(words, ${wordsWithPrefix(`q_word_${index}`)})`;
    return { sql: `(${sql} OR ${expanded})`, params: { ...params, [`q_word_${index}`]: term.word } };
  };

/** On a table of markets: the text is the id. The words of an id are among those of its market, and have an index. */
export const byMarketId = (textQuery: TextQuery): Condition => {
  const words = byWords(textQuery);
  return allOf(byExactId(textQuery), ...(words ? [words] : []));
};

/** The same for an id that starts with the text. `matches` has the words of markets that start with the words of the terms. */
export const byMarketIdPrefix = (textQuery: TextQuery, matches: readonly PrefixMatch[]): Condition => {
  const { complete, last } = wordsOfStart(textQuery.id);
  const match = matches[textQuery.terms.findIndex(({ word }) => word === last)];
  const hasFew = match !== undefined && match.n <= expansionsMax;
  return allOf(
    byIdPrefix(textQuery),
    ...(complete.length > 0
      ? [{ sql: 'hasAllTokens(words, {q_id_words:Array(String)})', params: { q_id_words: complete } }]
      : []),
    ...(hasFew && last !== undefined
      ? [{ sql: `hasAnyTokens(words, ${wordsWithPrefix('q_id_last')})`, params: { q_id_last: last } }]
      : []),
  );
};

const wordsWithPrefix = (name: string): string =>
  `(SELECT groupUniqArray(word) FROM market_words WHERE startsWith(word, {${name}:String}))`;

/** Whether the prefix matches only itself. Then a prefix match finds the same as an exact match. */
const isOnlyWord = ({ n, isWord }: PrefixMatch): boolean => isWord && n === 1;

/** Every term matches. */
export const byAllTerms = (terms: readonly SearchTerm[], condition: TermCondition): Condition =>
  allOf(...terms.map((term, index) => condition(term, index)));

/** Which words of markets start with each term's word, from memory if loaded. */
export const prefixMatchesOf = async (
  { clickhouse, words: wordCache }: { clickhouse: ClickHouse; words: Pick<WordCache, 'prefixMatchesOf'> },
  { terms }: TextQuery,
  { signal }: Pick<QueryContext, 'signal'>,
): Promise<readonly PrefixMatch[]> => {
  if (terms.length === 0) return [];
  const known = wordCache.prefixMatchesOf(terms.map(({ word }) => word));
  if (known !== undefined) return known;
  const counts = terms.map(
    (
      _,
      index,
    ) => `SELECT ${index} AS word_index, uniqExact(word) AS n, countIf(word = {q_word_${index}:String}) > 0 AS whole
      FROM market_words WHERE startsWith(word, {q_word_${index}:String})`,
  );
  const params = Object.fromEntries(terms.map(({ word }, index) => [`q_word_${index}`, word]));
  const found = await readRows(clickhouse, { sql: counts.join(' UNION ALL '), params, signal }, countsRow);
  return found.toSorted((a, b) => a.word_index - b.word_index).map(({ n, whole }) => ({ n, isWord: whole === 1 }));
};

const countsRow = z.object({ word_index: z.int(), n: z.int(), whole: z.literal([0, 1]) });
