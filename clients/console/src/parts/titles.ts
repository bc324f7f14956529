import type { Market } from '@almanac/client';
import { decimal } from '../format/numbers.js';

/** Words, with the spaces after them. */
const wordsOf = (text: string): string[] => text.match(/\S+\s*/g) ?? [];

const sharedCount = (all: readonly (readonly string[])[]): number => {
  const [first = []] = all;
  const most = Math.min(...all.map((words) => words.length)) - 1;
  let count = 0;
  while (count < most && all.every((words) => words[count]?.trim() === first[count]?.trim())) count += 1;
  return count;
};

/** The part of each title in which they differ: without the words with which all begin or end. */
export const differentParts = (titles: readonly string[]): string[] => {
  if (titles.length < 2) return [...titles];
  const words = titles.map(wordsOf);
  const start = sharedCount(words);
  const rest = words.map((one) => one.slice(start));
  const end = sharedCount(rest.map((one) => one.toReversed()));
  return rest.map((one) =>
    one
      .slice(0, one.length - end)
      .join('')
      .trim(),
  );
};

/** The short names of the markets of an event. Titles of markets with a strike differ only by it. */
export const shortNames = (
  markets: readonly Pick<Market, 'ticker' | 'title' | 'floor_strike'>[],
): ReadonlyMap<string, string> => {
  const strikes = new Set(markets.map(({ floor_strike }) => floor_strike));
  if (strikes.size === markets.length && !strikes.has(null)) {
    return new Map(markets.map(({ ticker, floor_strike }) => [ticker, decimal(floor_strike)]));
  }
  const parts = differentParts(markets.map(({ ticker, title }) => title ?? ticker));
  return new Map(markets.map(({ ticker }, at) => [ticker, parts[at] ?? ticker]));
};

/** What each title of a list says that the others do not. Equal titles, and a part of signs alone, stay whole. */
export const ownTitles = (markets: readonly Pick<Market, 'ticker' | 'title'>[]): ReadonlyMap<string, string> => {
  const parts = differentParts(markets.map(({ ticker, title }) => title ?? ticker));
  const isName = (part: string | undefined): part is string => part !== undefined && /[\p{L}\p{N}]/u.test(part);
  return new Map(
    markets.map(({ ticker, title }, at) => {
      const part = parts[at];
      const whole = title ?? ticker;
      return [ticker, isName(part) && part !== whole ? part.replace(/\?$/, '') : whole];
    }),
  );
};

/** The words with which all titles begin and end, with `…` in the place of the others. Undefined if there are none. */
export const sharedTitle = (titles: readonly string[]): string | undefined => {
  const [first = '', ...others] = titles;
  if (others.every((title) => title === first)) return first === '' ? undefined : first;
  const words = titles.map(wordsOf);
  const start = sharedCount(words);
  const end = sharedCount(words.map((one) => one.slice(start).toReversed()));
  const [own = []] = words;
  const ends = [
    own.slice(0, start).join('').trim(),
    own
      .slice(own.length - end)
      .join('')
      .trim(),
  ];
  const [before = '', after = ''] = ends.map((text) => (/[\p{L}\p{N}]/u.test(text) ? text : ''));
  return before === '' && after === '' ? undefined : `${before} … ${after}`.trim();
};
