import { counted, type Notice, type SeriesState } from '@almanac/contracts';
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
  return `The archive has ${states.size} series with ${counted(events, 'event')} and ${counted(markets, 'market')}.`;
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

const labelWords = ({ id, label }: SeriesState): readonly string[] =>
  subjectWordsOf(wordsOf(label ?? readableSeries(id)));

/** The words of all series. The first few series mostly end the search for them. */
const sharedWords = ([first, ...others]: readonly SeriesState[]): readonly string[] => {
  if (first === undefined || others.length === 0) return [];
  let shared = labelWords(first);
  for (const state of others) {
    if (shared.length === 0) break;
    const words = labelWords(state);
    shared = shared.filter((word) => words.includes(word));
  }
  return shared;
};

/** The first telling word of the largest series, each once. A word of all series tells nothing. */
const examplesOf = (largest: readonly SeriesState[]): string[] => {
  const shared = sharedWords(largest);
  const isTelling = (word: string): boolean => word.length >= wordMin && letters.test(word) && !shared.includes(word);
  const found = new Set<string>();
  for (const state of largest) {
    const word = labelWords(state).find(isTelling);
    if (word !== undefined) found.add(word);
    if (found.size === examplesMax) break;
  }
  return [...found];
};
