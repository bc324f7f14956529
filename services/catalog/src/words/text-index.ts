import type { SearchTerm } from './search-terms.js';
import { type SortedWords, sortedWords } from './sorted-words.js';

/** By entity, one bit for each term that it matches. `all` has the bits of all terms. */
export interface TermMatches {
  readonly all: number;
  /** All bits if the entity has every word of the query, else none. */
  readonly words: Uint32Array;
  /** The words or other forms of them. */
  readonly forms: Uint32Array;
  /** The same, or a word that starts with the word of the query. */
  readonly prefixes: Uint32Array;
}

/** An inverted index in memory: the entities of each word. An entity has a number, which changes when it changes. */
export interface TextIndex<Entity> {
  /** By number. Undefined where the entity has another number by now. */
  readonly entities: readonly (Entity | undefined)[];
  /** The words that people can type, maybe with some that no entity has any more. */
  readonly words: SortedWords;
  readonly size: number;
  get(key: string): Entity | undefined;
  put(key: string, entity: Entity, words: Iterable<string>): void;
  numbersWith(word: string): readonly number[];
  match(query: TermQuery): TermMatches;
  clear(): void;
}

/** All words, and a term for each one that counts. Without terms, only the words themselves count. */
export interface TermQuery {
  readonly words: readonly string[];
  readonly terms: readonly SearchTerm[];
}

export interface TextIndexOptions<Entity> {
  /** The words of an entity in order, each between blanks. */
  readonly textOf: (entity: Entity) => string;
  readonly isTyped: (word: string) => boolean;
}

/** The lists of words are cleaned when there are so many numbers without an entity. */
const removedMax = 10_000;

export const textIndex = <Entity>({ textOf, isTyped }: TextIndexOptions<Entity>): TextIndex<Entity> => {
  const entities: (Entity | undefined)[] = [];
  const numberOf = new Map<string, number>();
  const lists = wordLists();
  const typed = sortedWords();
  /** Words that are not in `typed` yet. They are sorted when words are read. */
  let fresh: string[] = [];
  let removed = 0;

  const numbersWith = (word: string): readonly number[] => {
    const list = lists.of(word);
    return removed === 0 ? list : list.filter((number) => entities[number] !== undefined);
  };
  const sorted = (): SortedWords => {
    if (fresh.length > 0) typed.add(fresh);
    fresh = [];
    return typed;
  };
  const remove = (number: number): void => {
    entities[number] = undefined;
    removed += 1;
    if (removed <= removedMax) return;
    lists.keep((one) => entities[one] !== undefined);
    removed = 0;
  };
  const withPhrase = ([first, second]: readonly [string, string]): number[] => {
    const behind = new Set(numbersWith(second));
    const isPhrase = (entity: Entity | undefined): boolean =>
      entity !== undefined && textOf(entity).includes(` ${first} ${second} `);
    return numbersWith(first).filter((number) => behind.has(number) && isPhrase(entities[number]));
  };

  return {
    entities,
    get words() {
      return sorted();
    },
    get size() {
      return numberOf.size;
    },
    get: (key) => entities[numberOf.get(key) ?? -1],
    put: (key, entity, words) => {
      const former = numberOf.get(key);
      if (former !== undefined) remove(former);
      const number = entities.push(entity) - 1;
      numberOf.set(key, number);
      for (const word of new Set(words)) if (lists.add(word, number) && isTyped(word)) fresh.push(word);
    },
    numbersWith,
    match: (query) => matchesOf({ size: entities.length, numbersWith, withPhrase, words: sorted }, query),
    clear: () => {
      entities.length = 0;
      numberOf.clear();
      lists.clear();
      typed.clear();
      fresh = [];
      removed = 0;
    },
  };
};

interface IndexedWords {
  readonly size: number;
  readonly numbersWith: (word: string) => readonly number[];
  readonly withPhrase: (phrase: readonly [string, string]) => readonly number[];
  readonly words: () => SortedWords;
}

const matchesOf = (
  { size, numbersWith, withPhrase, words: sorted }: IndexedWords,
  { words, terms }: TermQuery,
): TermMatches => {
  const all = allBits(Math.max(1, terms.length));
  const exact = withEvery(words.map(numbersWith), { size, all });
  if (terms.length === 0) return { all, words: exact, forms: exact, prefixes: exact };
  const forms = new Uint32Array(size);
  for (const [index, { forms: some, phrases }] of terms.entries()) {
    for (const form of some) mark(forms, numbersWith(form), index);
    for (const phrase of phrases) mark(forms, withPhrase(phrase), index);
  }
  const prefixes = forms.slice();
  for (const [index, { word }] of terms.entries())
    for (const found of sorted().withPrefix(word)) mark(prefixes, numbersWith(found), index);
  return { all, words: exact, forms, prefixes };
};

/** The numbers of each word. Most words have one, which then needs no list. */
const wordLists = () => {
  const lists = new Map<string, number | number[]>();
  const of = (word: string): readonly number[] => {
    const found = lists.get(word);
    if (found === undefined) return [];
    return typeof found === 'number' ? [found] : found;
  };
  return {
    of,
    /** Whether the word is new. */
    add: (word: string, number: number): boolean => {
      const found = lists.get(word);
      if (found === undefined) lists.set(word, number);
      else if (typeof found === 'number') lists.set(word, [found, number]);
      else found.push(number);
      return found === undefined;
    },
    keep: (stays: (number: number) => boolean): void => {
      for (const word of lists.keys()) lists.set(word, of(word).filter(stays));
    },
    clear: () => lists.clear(),
  };
};

/** `all` for numbers that are in every list. A list has each number once. */
const withEvery = (
  lists: readonly (readonly number[])[],
  { size, all }: { size: number; all: number },
): Uint32Array => {
  const found = new Uint32Array(size);
  for (const list of lists) for (const number of list) found[number] = (found[number] ?? 0) + 1;
  return found.map((n) => (lists.length > 0 && n === lists.length ? all : 0));
};

/** Sets the bit of a term. */
export const mark = (bits: Uint32Array, numbers: readonly number[], term: number): void => {
  for (const number of numbers) bits[number] = (bits[number] ?? 0) | (1 << term);
};

const allBits = (terms: number): number => 2 ** terms - 1;
