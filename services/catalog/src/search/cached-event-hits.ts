import type { ClickHouse } from '@almanac/clickhouse';
import { secondsOf } from '@almanac/contracts';
import { eventsWithMarketIn } from '../event/event-items.js';
import type { CachedEvents, EventFigures, EventNames } from '../event/event-cache.js';
import { type EventMatches, scoredEvents } from '../event/event-matches.js';
import type { QueryContext } from '../tables/read-rows.js';
import { closesWithin, type Filters, statusOfMany, type Window } from '../tables/filters.js';
import { lazyOrder } from '../tables/lazy-order.js';
import { byText } from '../tables/position.js';
import { firstWithin, type Ranked, type SearchRequest } from './ranking.js';

interface ScoredEvent {
  readonly names: EventNames;
  readonly figures: EventFigures;
  readonly score: number;
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
  const found: ScoredEvent[] = [];
  for (const { names, score } of scored) {
    const figures = now.figures.get(names.event_ticker) ?? noFigures;
    if (fits(names, figures, { filters, nowUs })) found.push({ names, figures, score });
  }
  const ranked = lazyOrder(found, byRankOfEvents);
  const { window } = filters;
  const first = await firstWithin(ranked, count, async (some) =>
    window === undefined ? new Set(some) : withMarketIn(window, { clickhouse, some }, queryContext),
  );
  return first.slice(0, count).map(({ names, figures, score }) => eventHit(names, figures, { score, nowUs }));
};

/** `byRank` among events. */
const byRankOfEvents = (a: ScoredEvent, b: ScoredEvent): number =>
  b.score - a.score || b.figures.close_key - a.figures.close_key || byText(a.names.event_ticker, b.names.event_ticker);

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
  { clickhouse, some }: { clickhouse: ClickHouse; some: readonly ScoredEvent[] },
  queryContext: QueryContext,
): Promise<ReadonlySet<ScoredEvent>> => {
  const undecided = new Set(some.filter(({ figures }) => closesWithin(figures, window) === undefined));
  const ids = Array.from(undecided, ({ names }) => names.event_ticker);
  const found = await eventsWithMarketIn(clickhouse, { window, ids }, queryContext);
  return new Set(some.filter((one) => !undecided.has(one) || found.has(one.names.event_ticker)));
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
