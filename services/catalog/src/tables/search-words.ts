import { createHash } from 'node:crypto';
import { type MarketState, venues } from '@almanac/contracts';

/** Letters with their marks, and digits, of any script. Everything else separates words. */
const word = /[\p{L}\p{M}\p{N}]+/gu;

export const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().match(word) ?? [];

const endsInWord = /[\p{L}\p{M}\p{N}]$/u;

/** The words that every text has which starts with this one, and the start of a word at its end. */
export const wordsOfStart = (
  text: string,
): { readonly complete: readonly string[]; readonly last: string | undefined } => {
  const words = wordsOf(text);
  return endsInWord.test(text.normalize('NFKC'))
    ? { complete: words.slice(0, -1), last: words.at(-1) }
    : { complete: words, last: undefined };
};

/** A number with the unit that follows it, or letters. */
const part = /\p{N}+[\p{L}\p{M}]*|[\p{L}\p{M}]+/gu;
/** A longer id, such as a hash, is not split: nobody searches for its parts. */
const idPartsMax = 20;

const prefixes = Object.values(venues).flatMap(({ idPrefix }) => idPrefix ?? []);
const venuePrefix = new RegExp(`^(?:${prefixes.join('|')})(?=.{2})`, 'u');

/**
 * The words of an id and the parts that people type: Kalshi's `KXBTC15M` is also found as `btc15m`, `btc` and `15m`.
 * Parts of one letter are omitted.
 */
export const wordsOfId = (id: string): string[] =>
  wordsOf(id).flatMap((found, index) => {
    const named = index === 0 ? found.replace(venuePrefix, '') : found;
    const parts = named.length > idPartsMax ? [] : (named.match(part) ?? []);
    return [found, named, ...parts.filter(({ length }) => length > 1)];
  });

/**
 * One word for a complete title, independent of case and blanks. The word index then finds titles without reading
 * them. No text contains such a word: its first letter is one that `wordsOf` normalises to `a`.
 */
export const titleWord = (title: string): string => {
  const plain = title.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/gu, ' ');
  return `${titleMark}${createHash('sha256').update(plain).digest('hex').slice(0, 16)}`;
};

export const titleMark = 'ª';

/** Whether people can type the word: it is not made by us. */
export const isTyped = (found: string): boolean => !found.startsWith(titleMark);

export interface SearchableEntity {
  readonly id: string;
  readonly title: string | null;
  readonly texts: readonly (string | null)[];
}

/**
 * The searched texts of a market. A title made from its series, strike and close has only words of the series, and
 * numbers that nobody means: `bitcoin 5 minutes` must not find a strike of 66,000.5.
 */
export const searchableMarket = (
  state: Pick<MarketState, 'ticker' | 'title' | 'derived_title' | 'category' | 'category_label'>,
): SearchableEntity => ({
  id: state.ticker,
  title: state.derived_title === true ? null : state.title,
  texts: [state.category_label, state.category],
});

/** The distinct words of an entity and the word of its title. */
export const searchWordsOf = ({ id, title, texts }: SearchableEntity): string[] => [
  ...new Set([
    ...[title, ...texts].flatMap((text) => (text === null ? [] : wordsOf(text))),
    ...wordsOfId(id),
    ...(title === null ? [] : [titleWord(title)]),
  ]),
];

/** The words as stored in a table. Each follows a blank, so that ` bit` finds a word that starts with `bit`. */
export const searchText = (entity: SearchableEntity): string =>
  searchWordsOf(entity)
    .map((found) => ` ${found}`)
    .join('');
