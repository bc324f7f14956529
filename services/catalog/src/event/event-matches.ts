import { idScore, type SeriesMatches, textScore } from '../tables/series-text.js';
import { scores, type TextQuery } from '../tables/text-query.js';
import { mark, type TermMatches } from '../words/text-index.js';
import { type CachedEvents, type EventNames, seriesMark } from './event-cache.js';

/** Which events in memory match which terms of a text query: by their own words, and with the words of their series. */
export interface EventMatches {
  readonly events: CachedEvents;
  readonly own: TermMatches;
  /** By number of the event, one bit for each term. */
  readonly withSeries: { readonly forms: Uint32Array; readonly prefixes: Uint32Array };
}

export const matchEvents = (events: CachedEvents, series: SeriesMatches, query: TextQuery): EventMatches => {
  const own = events.text.match(query);
  const [forms, prefixes] = [own.forms.slice(), own.prefixes.slice()];
  for (const [number, state] of series.text.entities.entries()) {
    const ofSeries = series.prefixes[number] ?? 0;
    if (state === undefined || ofSeries === 0) continue;
    const inSeries = events.text.numbersWith(`${seriesMark}${state.id}`);
    for (const term of query.terms.keys()) {
      const bit = 1 << term;
      if (((series.forms[number] ?? 0) & bit) !== 0) mark(forms, inSeries, term);
      if ((ofSeries & bit) !== 0) mark(prefixes, inSeries, term);
    }
  }
  return { events, own, withSeries: { forms, prefixes } };
};

/** The matching events with their scores. */
export const scoredEvents = (
  { events: { text }, own, withSeries }: EventMatches,
  { id, title }: TextQuery,
): { names: EventNames; score: number }[] => {
  const titled = new Set(text.numbersWith(title));
  const found: { names: EventNames; score: number }[] = [];
  for (const [number, names] of text.entities.entries()) {
    if (names === undefined) continue;
    const ofWords = textScore(own, { number, isTitled: titled.has(number) });
    const score = Math.max(idScore(names.id, id), ofWords, seriesScore(own.all, withSeries, number));
    if (score > 0) found.push({ names, score });
  }
  return found;
};

const seriesScore = (all: number, { forms, prefixes }: EventMatches['withSeries'], number: number): number => {
  if (all === 0) return 0;
  if (forms[number] === all) return scores.parents;
  return prefixes[number] === all ? scores.parentPrefixes : 0;
};
