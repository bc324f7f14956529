import type { CatalogueSources } from './markets.js';
import type { QueryContext } from '../tables/read-rows.js';
import { blankInId, categoryMark, noEvent, startOfId, wordsOfWholeId } from '../tables/series-words.js';
import { prefixMatchesOf } from '../tables/term-conditions.js';
import type { TextQuery } from '../tables/text-query.js';
import type { PrefixMatch, SortedWords } from '../words/sorted-words.js';

/** What is known of the terms of a query before markets are read. */
export interface KnownTerms {
  readonly prefixMatches: readonly PrefixMatch[];
  /** One bit for each term that a market of a series may match by its own words. */
  readonly formsOf: (series: string | null) => number;
  /** The same, or by a word that starts with the term's word. */
  readonly prefixesOf: (series: string | null) => number;
  /** Whether a series may have markets without an event. */
  readonly hasLooseMarkets: (series: string) => boolean;
  /** Whether each word of the query is a word of a market. */
  readonly areWords: boolean;
  /**
   * Whether the markets of a series have each word of the query, or words that start with it. Otherwise no id or title
   * matches.
   */
  readonly canMatchAll: boolean;
  /** Whether the text may be an id of a market or the start of one. */
  readonly canBeId: boolean;
  /** Whether the text may be a whole id: an index finds the markets of its words, which may be all of a series. */
  readonly canBeWholeId: boolean;
  /** Whether markets may match by other forms than the words themselves. */
  readonly hasOtherForms: boolean;
  /** Whether markets may match by prefixes and by nothing else. */
  readonly hasPrefixes: boolean;
}

export const knownTermsOf = async (
  sources: Pick<CatalogueSources, 'clickhouse' | 'words' | 'wordsBySeries'>,
  { textQuery, category }: { readonly textQuery: TextQuery; readonly category: string | undefined },
  queryContext: QueryContext,
): Promise<KnownTerms> => {
  const prefixMatches = await prefixMatchesOf(sources, textQuery, queryContext);
  const { terms } = textQuery;
  const words = sources.words.current();
  const forms = bitsOf(terms.map((term) => hasForm(term, words)));
  const prefixes = bitsOf(terms.map((term, index) => hasForm(term, words) || (prefixMatches[index]?.n ?? 0) > 0));
  const all = bitsOf(terms.map(() => true));
  const withForms = terms.map(wordsWithForms);
  const withPrefixes = terms.map((term, index) =>
    (prefixMatches[index]?.n ?? Infinity) > checkedMax || words === undefined
      ? undefined
      : [...wordsWithForms(term), ...words.withPrefix(term.word)],
  );
  const ofCategory = category === undefined ? [] : [[categoryMark(category)]];
  const mayHaveTogether = (groups: typeof withPrefixes): boolean =>
    sources.wordsBySeries.mayHaveTogether([...ofCategory, ...groups.filter((group) => group !== undefined)]);
  const mayStartTogether = mayHaveTogether(withPrefixes);
  return {
    prefixMatches,
    formsOf: bySeries(sources, withForms),
    prefixesOf: bySeries(sources, withPrefixes),
    hasLooseMarkets: (series) => sources.wordsBySeries.mayHave(series, noEvent),
    areWords: prefixMatches.every(({ isWord }) => isWord),
    canBeId: mayHaveTogether(idMarksOf(textQuery)),
    canBeWholeId: mayHaveTogether([
      ...idMarksOf(textQuery),
      wordsOfWholeId(textQuery.id),
      ...textQuery.words.map((word) => [word]),
    ]),
    canMatchAll: prefixMatches.every(({ n }) => n > 0) && mayStartTogether,
    hasOtherForms:
      forms === all &&
      (textQuery.words.length > terms.length || terms.some((term) => otherForms(term, words))) &&
      mayHaveTogether(withForms),
    hasPrefixes: prefixes === all && prefixMatches.some(({ n, isWord }) => n > (isWord ? 1 : 0)) && mayStartTogether,
  };
};

/** What a series has if a ticker in it starts with the text. */
const idMarksOf = ({ id }: TextQuery): string[][] => {
  const start = startOfId(id);
  return [...(start === undefined ? [] : [[start]]), ...(id.includes(' ') ? [[blankInId]] : [])];
};

/** With more words that a term may match, it may match any series. */
const checkedMax = 30;

/** Which terms a market of a series may match, by the words of which it must have one for each term. Undefined: any. */
const bySeries = (
  { wordsBySeries }: Pick<CatalogueSources, 'wordsBySeries'>,
  words: readonly (readonly string[] | undefined)[],
): ((series: string | null) => number) => {
  const known = new Map<string | null, number>();
  return (series) => {
    // A market has the series of its event, or none.
    const mayHave = (word: string): boolean =>
      series === null || wordsBySeries.mayHave(series, word) || wordsBySeries.mayHave('', word);
    const found = known.get(series) ?? bitsOf(words.map((some) => some?.some(mayHave) ?? true));
    known.set(series, found);
    return found;
  };
};

type Term = TextQuery['terms'][number];

const wordsWithForms = ({ forms, phrases }: Term): string[] => [...forms, ...phrases.map(([first]) => first)];

const hasForm = ({ forms, phrases }: Term, words: SortedWords | undefined): boolean =>
  words === undefined || forms.some((form) => words.has(form)) || phrases.some((phrase) => hasPhrase(phrase, words));

const otherForms = ({ word, forms, phrases }: Term, words: SortedWords | undefined): boolean =>
  words === undefined ||
  forms.some((form) => form !== word && words.has(form)) ||
  phrases.some((phrase) => hasPhrase(phrase, words));

const hasPhrase = (phrase: readonly string[], words: SortedWords): boolean => phrase.every((word) => words.has(word));

const bitsOf = (holds: readonly boolean[]): number =>
  holds.reduce((bits, one, index) => (one ? bits | (1 << index) : bits), 0);
