import { type CachedEvents, seriesMark } from '../event/event-cache.js';
import type { CountedSeries } from '../series/series-items.js';
import { closesWithin, type Window } from '../tables/filters.js';

/**
 * Whether a market of a series closes in the window, by the closes of its events in memory. Undefined if they do not
 * decide: an event has closes on both sides of the window, or the markets of the events are not those of the series.
 */
export const eventsCloseWithin = (
  { text, figures }: CachedEvents,
  series: Pick<CountedSeries, 'state' | 'figures'>,
  window: Window,
): boolean | undefined => {
  let markets_n = 0;
  const found = new Set<boolean | undefined>();
  for (const number of text.numbersWith(`${seriesMark}${series.state.id}`)) {
    const closes = figures.get(text.entities[number]?.event_ticker ?? '');
    if (closes === undefined) continue;
    markets_n += closes.markets_n;
    found.add(closesWithin(closes, window));
  }
  if (markets_n !== series.figures.markets_n) return undefined;
  if (found.has(true)) return true;
  return found.has(undefined) ? undefined : false;
};
