/** Letters with their marks, and digits, of any script; everything else separates words. */
const word = /[\p{L}\p{M}\p{N}]+/gu;

/** The words of a text in lower case, in order. */
export const wordsOf = (text: string): string[] => text.normalize('NFKC').toLowerCase().match(word) ?? [];

/** The words of a thing, each once. */
export const wordsOfThing = (...texts: readonly (string | null)[]): string[] => [
  ...new Set(texts.flatMap((text) => (text === null ? [] : wordsOf(text)))),
];

/** They as a table holds them: each after one blank, so that ` bit` finds what has a word that starts with `bit`. */
export const searchable = (...texts: readonly (string | null)[]): string =>
  wordsOfThing(...texts)
    .map((found) => ` ${found}`)
    .join('');
