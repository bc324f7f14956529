import type { CatalogueSources } from '../market/markets.js';
import type { QueryContext } from '../tables/read-rows.js';
import { prefixMatchesOf } from '../tables/term-conditions.js';
import type { TextQuery } from '../tables/text-query.js';
import type { PrefixMatch, SortedWords } from '../words/sorted-words.js';

/** What is known of the terms of a query before markets are read. */
export interface KnownTerms {
  readonly prefixMatches: readonly PrefixMatch[];
  /** One bit for each term with a form among the words of markets. */
  readonly forms: number;
  /** The same, or with a word that starts with the term's word. */
  readonly prefixes: number;
  /** Whether each word of the query is a word of a market. */
  readonly areWords: boolean;
  /** Whether each word of the query is a word of a market, or the start of one. Otherwise no id or title matches. */
  readonly canMatchAll: boolean;
  /** Whether markets may match by other forms than the words themselves. */
  readonly hasOtherForms: boolean;
  /** Whether markets may match by prefixes and by nothing else. */
  readonly hasPrefixes: boolean;
}

export const knownTermsOf = async (
  sources: Pick<CatalogueSources, 'clickhouse' | 'words'>,
  textQuery: TextQuery,
  queryContext: QueryContext,
): Promise<KnownTerms> => {
  const prefixMatches = await prefixMatchesOf(sources, textQuery, queryContext);
  const { terms } = textQuery;
  const words = sources.words.current();
  const forms = bitsOf(terms.map((term) => hasForm(term, words)));
  const prefixes = bitsOf(terms.map((term, index) => hasForm(term, words) || (prefixMatches[index]?.n ?? 0) > 0));
  const all = bitsOf(terms.map(() => true));
  return {
    prefixMatches,
    forms,
    prefixes,
    areWords: prefixMatches.every(({ isWord }) => isWord),
    canMatchAll: prefixMatches.every(({ n }) => n > 0),
    hasOtherForms:
      forms === all && (textQuery.words.length > terms.length || terms.some((term) => otherForms(term, words))),
    hasPrefixes: prefixes === all && prefixMatches.some(({ n, isWord }) => n > (isWord ? 1 : 0)),
  };
};

type Term = TextQuery['terms'][number];

const hasForm = ({ forms, phrases }: Term, words: SortedWords | undefined): boolean =>
  words === undefined || forms.some((form) => words.has(form)) || phrases.some((phrase) => hasPhrase(phrase, words));

const otherForms = ({ word, forms, phrases }: Term, words: SortedWords | undefined): boolean =>
  words === undefined ||
  forms.some((form) => form !== word && words.has(form)) ||
  phrases.some((phrase) => hasPhrase(phrase, words));

const hasPhrase = (phrase: readonly string[], words: SortedWords): boolean => phrase.every((word) => words.has(word));

const bitsOf = (holds: readonly boolean[]): number =>
  holds.reduce((bits, one, index) => (one ? bits | (1 << index) : bits), 0);
