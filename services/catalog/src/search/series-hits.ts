import { secondsOf } from '@almanac/contracts';
import type { CatalogueSources } from '../market/markets.js';
import type { FiguresNow } from '../series/compute-figures.js';
import type { CachedEvents } from '../event/event-cache.js';
import { type CountedSeries, positionOf, seriesThatFit } from '../series/series-items.js';
import { scoredSeries, type SeriesMatches } from '../tables/series-text.js';
import { seriesWithMarketIn } from '../series/series-in-window.js';
import type { QueryContext } from '../tables/read-rows.js';
import { closesWithin, type Window } from '../tables/filters.js';
import { eventsCloseWithin } from './closes-of-events.js';
import { byRank, firstWithin, type Ranked, type SearchRequest } from './ranking.js';

interface SeriesSources extends Pick<CatalogueSources, 'clickhouse' | 'series'> {
  readonly now: FiguresNow;
  /** Undefined if they are not in memory. */
  readonly events: CachedEvents | undefined;
  /** Null without a text query. */
  readonly matches: SeriesMatches | null;
}

/** Matching series, best first, from memory. Queries the archive only for windows that events do not decide either. */
export const seriesHits = async (
  { clickhouse, series, now, events, matches }: SeriesSources,
  { filters, textQuery, count }: SearchRequest,
  queryContext: QueryContext,
): Promise<Ranked[]> => {
  const scored = textQuery === null || matches === null ? undefined : scoredSeries(matches, textQuery);
  const scoreOf = new Map(scored?.map(({ state, score }) => [state, score]));
  const states = scored?.map(({ state }) => state) ?? [...series.states.values()];
  const fitting = seriesThatFit(states, now, { filters }).map((one) => ({
    one,
    hit: hitOf(one, scoreOf.get(one.state) ?? 1),
  }));
  const ranked = fitting.toSorted((a, b) => byRank(a.hit, b.hit));
  const { window } = filters;
  if (window === undefined) return ranked.map(({ hit }) => hit);
  const found = await firstWithin({ at: (index) => ranked[index] }, count, (some) =>
    withMarketIn(window, { clickhouse, events, some }, queryContext),
  );
  return found.map(({ hit }) => hit);
};

const hitOf = (one: CountedSeries, score: number): Ranked => ({
  kind: 'series',
  position: positionOf(one),
  score,
  display: {
    title: one.state.label ?? one.state.id,
    category: one.state.category,
    series: one.state.id,
    event_ticker: null,
    status: one.status,
    close_ts: secondsOf(one.figures.newest_close_us),
  },
});

interface RankedSeries {
  readonly one: CountedSeries;
  readonly hit: Ranked;
}

const withMarketIn = async (
  window: Window,
  { clickhouse, events, some }: Pick<SeriesSources, 'clickhouse' | 'events'> & { some: readonly RankedSeries[] },
  queryContext: QueryContext,
): Promise<ReadonlySet<RankedSeries>> => {
  const candidates = some.map((ranked) => ({
    ranked,
    id: ranked.one.state.id,
    closes: closesWithin(ranked.one.figures, window) ?? (events && eventsCloseWithin(events, ranked.one, window)),
  }));
  const ids = candidates.filter(({ closes }) => closes === undefined).map(({ id }) => id);
  const found = await seriesWithMarketIn(clickhouse, { window, ids }, queryContext);
  return new Set(candidates.filter(({ id, closes }) => closes ?? found.has(id)).map(({ ranked }) => ranked));
};
