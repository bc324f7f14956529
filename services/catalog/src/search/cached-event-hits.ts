import type { ClickHouse } from '@almanac/clickhouse';
import { secondsOf } from '@almanac/contracts';
import { eventsWithMarketIn } from '../event/event-items.js';
import type { CachedEvents, EventFigures, EventNames } from '../event/event-cache.js';
import { type EventMatches, scoredEvents } from '../event/event-matches.js';
import type { QueryContext } from '../tables/read-rows.js';
import { closesWithin, type Filters, statusOfMany, type Window } from '../tables/filters.js';
import { byRank, firstWithin, type Ranked, type SearchRequest } from './ranking.js';

interface RankedEvent {
  readonly figures: EventFigures;
  readonly hit: Ranked;
}

export interface CachedEventSources {
  readonly clickhouse: ClickHouse;
  readonly now: CachedEvents;
  /** Null without a text query. */
  readonly matches: EventMatches | null;
}

/** Matching events, best first, from memory. Queries the archive only for undecided windows. */
export const cachedEventHits = async (
  { clickhouse, now, matches }: CachedEventSources,
  { filters, textQuery, count }: SearchRequest,
  queryContext: QueryContext,
): Promise<Ranked[]> => {
  const { nowUs } = queryContext;
  const scored = textQuery === null || matches === null ? allEvents(now) : scoredEvents(matches, textQuery);
  const found = scored.flatMap(({ names, score }): RankedEvent[] => {
    const figures = now.figures.get(names.event_ticker) ?? noFigures;
    return fits(names, figures, { filters, nowUs })
      ? [{ figures, hit: eventHit(names, figures, { score, nowUs }) }]
      : [];
  });
  const ranked = found.toSorted((a, b) => byRank(a.hit, b.hit));
  const { window } = filters;
  const first =
    window === undefined
      ? ranked
      : await firstWithin(ranked, count, (some) => withMarketIn(window, { clickhouse, some }, queryContext));
  return first.slice(0, count).map(({ hit }) => hit);
};

const allEvents = ({ text }: CachedEvents): { names: EventNames; score: number }[] =>
  text.entities.flatMap((names) => (names === undefined ? [] : [{ names, score: 1 }]));

export const noFigures: EventFigures = {
  markets_n: 0,
  known_n: 0,
  close_key: -1,
  newest_close_us: null,
  oldest_close_us: null,
};

const fits = (
  { category }: EventNames,
  figures: EventFigures,
  { filters, nowUs }: { filters: Filters; nowUs: number },
): boolean =>
  (filters.category === undefined || category === filters.category) &&
  (filters.status === undefined || statusOfMany(figures, nowUs) === filters.status) &&
  (filters.window === undefined || closesWithin(figures, filters.window) !== false);

const withMarketIn = async (
  window: Window,
  { clickhouse, some }: { clickhouse: ClickHouse; some: readonly RankedEvent[] },
  queryContext: QueryContext,
): Promise<ReadonlySet<RankedEvent>> => {
  const undecided = new Set(some.filter(({ figures }) => closesWithin(figures, window) === undefined));
  const ids = [...undecided].map(({ hit }) => hit.position.id);
  const found = await eventsWithMarketIn(clickhouse, { window, ids }, queryContext);
  return new Set(some.filter((one) => !undecided.has(one) || found.has(one.hit.position.id)));
};

export const eventHit = (
  { event_ticker, title, category, series }: Pick<EventNames, 'event_ticker' | 'title' | 'category' | 'series'>,
  figures: Pick<EventFigures, 'markets_n' | 'known_n' | 'close_key' | 'newest_close_us'>,
  { score, nowUs }: { score: number; nowUs: number },
): Ranked => ({
  kind: 'event',
  position: { key: figures.close_key, id: event_ticker },
  score,
  display: {
    title,
    category,
    series,
    event_ticker,
    status: statusOfMany(figures, nowUs),
    close_ts: secondsOf(figures.newest_close_us),
  },
});
