import pluralize from 'pluralize';

/**
 * Names of the same coin, currency or unit. One letter is a unit only after a number: `15m`. A title may have any of
 * them, and people type any other.
 */
const sameNames: readonly (readonly string[])[] = [
  ['btc', 'xbt', 'bitcoin'],
  ['eth', 'ether', 'ethereum'],
  ['sol', 'solana'],
  ['xrp', 'ripple'],
  ['doge', 'dogecoin'],
  ['ltc', 'litecoin'],
  ['ada', 'cardano'],
  ['avax', 'avalanche'],
  ['usd', 'dollar'],
  ['eur', 'euro'],
  ['gbp', 'pound'],
  ['jpy', 'yen'],
  ['percent', 'pct'],
  ['s', 'sec', 'second'],
  ['m', 'min', 'minute'],
  ['h', 'hr', 'hour'],
  ['d', 'day'],
  ['w', 'wk', 'week'],
];

const namesByWord = new Map(sameNames.flatMap((names) => names.map((name) => [name, names] as const)));

/** Letters that stand for others and that Unicode does not decompose. */
const letters: Readonly<Record<string, string>> = {
  ø: 'o',
  đ: 'd',
  ð: 'd',
  ł: 'l',
  ı: 'i',
  ß: 'ss',
  æ: 'ae',
  œ: 'oe',
  þ: 'th',
};

/** The word without accents: `pérez` is `perez`. Other marks, such as vowels of Hindi, are part of a word. */
export const withoutAccents = (word: string): string =>
  isAscii(word)
    ? word
    : word
        .normalize('NFD')
        .replaceAll(/[\u0300-\u036F]/gu, '')
        .normalize('NFC')
        .replaceAll(/[øđðłıßæœþ]/gu, (letter) => letters[letter] ?? letter);

const isAscii = (word: string): boolean => !/[^\0-\u007F]/u.test(word);

/** Shorter words are names and abbreviations: `us` is no plural. */
const [pluralMin, singularMin] = [3, 4];

/** Singular and plural of a word. Words with digits have none. */
const numbersOf = (word: string): string[] => {
  if (word.length < pluralMin || /\d/u.test(word)) return [];
  return [pluralize.plural(word), ...(word.length < singularMin ? [] : [pluralize.singular(word)])];
};

/** Words with the same meaning, without accents: singular and plural, and names of the same coin or unit. */
export const formsOf = (word: string): string[] => {
  const plain = withoutAccents(word);
  const forms = [plain, ...numbersOf(plain)];
  const named = forms.flatMap((form) => (form.length > 1 ? namesOf(form) : []));
  return [...new Set([word, ...forms, ...named])];
};

/** All names of a coin or unit, in singular and plural. A single letter is none without its number. */
const namesOf = (word: string): string[] =>
  (namesByWord.get(word) ?? []).filter(({ length }) => length > 1).flatMap((name) => [name, pluralize.plural(name)]);

const numberWithUnit = /^(\d+)(\p{L}+)$/u;

/** Names of the unit `m`, in singular and plural, and itself. Empty if it is no unit. */
const unitsOf = (unit: string): string[] => {
  const names = namesByWord.get(unit) ?? namesByWord.get(pluralize.singular(unit)) ?? [];
  return [...new Set(names.flatMap((name) => (name.length === 1 ? [name] : [name, pluralize.plural(name)])))];
};

/** `15m` as one word with another unit name, and as two words. Empty for other words. */
export const unitFormsOf = (word: string): { words: string[]; pairs: [string, string][] } => {
  const [, number = '', unit = ''] = numberWithUnit.exec(word) ?? [];
  const units = unitsOf(unit);
  return {
    words: units.map((name) => `${number}${name}`),
    pairs: units.map((name) => [number, name]),
  };
};

/** Two words as one: `tik tok` as `tiktok`, and `15 minutes` as `15m`. */
export const joinedFormsOf = (first: string, second: string): string[] => {
  const joined = withoutAccents(first + second);
  return [...new Set([joined, ...unitFormsOf(joined).words])];
};
