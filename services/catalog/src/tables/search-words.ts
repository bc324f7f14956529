import { createHash } from 'node:crypto';

/** Letters with their marks, and digits, of any script; everything else separates words. */
const word = /[\p{L}\p{M}\p{N}]+/gu;

/** The words of a text in lower case, in order. */
export const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().match(word) ?? [];

/** A number with the unit that follows it, or letters. */
const part = /\p{N}+[\p{L}\p{M}]*|[\p{L}\p{M}]+/gu;
/** A hash falls into parts as well, which nobody looks for. */
const idPartsMax = 20;

/**
 * The words of an id, and what people type of them: Kalshi's `KXBTC15M` is found as `btc15m`, `btc` and `15m` as well.
 * A part of one letter tells nothing.
 */
export const wordsOfId = (id: string): string[] =>
  wordsOf(id).flatMap((found, index) => {
    const named = index === 0 ? found.replace(/^kx(?=.{2})/u, '') : found;
    const parts = named.length > idPartsMax ? [] : (named.match(part) ?? []);
    return [found, named, ...parts.filter(({ length }) => length > 1)];
  });

/**
 * One word that stands for a whole title, in any case and with any blanks, so that the index of words finds it without
 * titles being read. No text has such a word: its first letter is one that `wordsOf` makes an `a`.
 */
export const titleWord = (title: string): string => {
  const plain = title.normalize('NFKC').toLowerCase().trim().replaceAll(/\s+/gu, ' ');
  return `${titleMark}${createHash('sha256').update(plain).digest('hex').slice(0, 16)}`;
};

export const titleMark = 'ª';

/** What is searched of a thing. */
export interface SearchableEntity {
  readonly id: string;
  readonly title: string | null;
  readonly texts: readonly (string | null)[];
}

/** The words of a thing, each once, and the one of its title. */
export const searchWordsOf = ({ id, title, texts }: SearchableEntity): string[] => [
  ...new Set([
    ...[title, ...texts].flatMap((text) => (text === null ? [] : wordsOf(text))),
    ...wordsOfId(id),
    ...(title === null ? [] : [titleWord(title)]),
  ]),
];

/** They as a table holds them: each after one blank, so that ` bit` finds what has a word that starts with `bit`. */
export const searchText = (entity: SearchableEntity): string =>
  searchWordsOf(entity)
    .map((found) => ` ${found}`)
    .join('');
