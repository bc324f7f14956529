import type { Notice, SeriesState } from '@almanac/contracts';
import type { FiguresNow } from '../series/compute-figures.js';
import { subjectWordsOf } from '../words/search-terms.js';
import { wordsOf } from '../tables/search-words.js';
import { readableSeries } from '../words/readable-names.js';

/** Shorter words are parts of ids and units. */
const wordMin = 3;
const examplesMax = 3;
const inWords = new Intl.ListFormat('en');
const letters = /^\p{L}+$/u;

/** For a search without words or without hits: what the archive has, and words that find something. */
export const searchHint = (states: ReadonlyMap<string, SeriesState>, now: FiguresNow): Notice => ({
  code: 'search_hint',
  detail: `${contentOf(states, now)} ${adviceOf(states, now)}`,
  loc: null,
  nearest: null,
});

const contentOf = (states: ReadonlyMap<string, SeriesState>, now: FiguresNow): string => {
  if (states.size === 0) return 'The archive has no series yet.';
  const ids = [...states.values()].map(({ id }) => id);
  const events = ids.reduce((sum, id) => sum + (now.events.get(id) ?? 0), 0);
  const markets = ids.reduce((sum, id) => sum + (now.series.get(id)?.markets_n ?? 0), 0);
  return `The archive has ${states.size} series with ${events} events and ${markets} markets.`;
};

const adviceOf = (states: ReadonlyMap<string, SeriesState>, now: FiguresNow): string => {
  const marketsIn = ({ id }: SeriesState): number => now.series.get(id)?.markets_n ?? 0;
  const largest = [...states.values()]
    .filter((state) => marketsIn(state) > 0)
    .toSorted((a, b) => marketsIn(b) - marketsIn(a) || (a.id < b.id ? -1 : 1));
  const [first] = largest;
  if (first === undefined) return 'Import data to search for.';
  const words = examplesOf(largest);
  return `Search for ${words.length === 0 ? 'words of a title' : `words such as ${inWords.format(words)}`}, or for an id such as ${first.id}.`;
};

/** The first telling word of the largest series, each once. A word of all series tells nothing. */
const examplesOf = (largest: readonly SeriesState[]): string[] => {
  const labels = largest.map(({ id, label }) => subjectWordsOf(wordsOf(label ?? readableSeries(id))));
  const isTelling = (word: string): boolean =>
    word.length >= wordMin &&
    letters.test(word) &&
    !(labels.length > 1 && labels.every((words) => words.includes(word)));
  const found = new Set<string>();
  for (const words of labels) {
    const word = words.find(isTelling);
    if (word !== undefined) found.add(word);
    if (found.size === examplesMax) break;
  }
  return [...found];
};
