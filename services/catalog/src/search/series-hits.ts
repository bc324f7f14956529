import { secondsOf } from '@almanac/contracts';
import type { CatalogueSources } from '../market/markets.js';
import type { FiguresNow } from '../series/figures-now.js';
import { type CountedSeries, positionOf, seriesScore, seriesThatFit } from '../series/series-items.js';
import { seriesWithMarketIn } from '../series/series-in-window.js';
import type { Asking } from '../tables/ask.js';
import type { Window } from '../tables/filters.js';
import type { Question } from '../tables/question.js';
import { byRank, type Ranked, type Sought } from './ranked.js';

/** Series that answer, best first, from memory; the archive is asked only where first and last closes do not tell of a window. */
export const seriesHits = async (
  { clickhouse, series, now }: CatalogueSources & { now: FiguresNow },
  { filters, question, count }: Sought,
  asking: Asking,
): Promise<Ranked[]> => {
  const fitting = seriesThatFit(series.values(), now, { filters, question }).map((one) => ({
    one,
    hit: hitOf(one, question),
  }));
  const ranked = fitting.toSorted((a, b) => byRank(a.hit, b.hit));
  const { window } = filters;
  if (window === undefined) return ranked.map(({ hit }) => hit);
  const hits: Ranked[] = [];
  // As many as are needed, and not all that there are.
  for (let from = 0; from < ranked.length && hits.length < count; from += count) {
    const some = ranked.slice(from, from + count);
    const within = await withMarketIn(window, { clickhouse, some: some.map(({ one }) => one) }, asking);
    hits.push(...some.filter(({ one }) => within.has(one)).map(({ hit }) => hit));
  }
  return hits;
};

const hitOf = (one: CountedSeries, question: Question | null): Ranked => ({
  kind: 'series',
  position: positionOf(one),
  score: question === null ? 1 : seriesScore(question, one.state),
  shown: {
    title: one.state.label ?? one.state.id,
    category: one.state.category,
    series: one.state.id,
    event_ticker: null,
    status: one.status,
    close_ts: secondsOf(one.figures.newest_close_us),
  },
});

const withMarketIn = async (
  window: Window,
  { clickhouse, some }: Pick<CatalogueSources, 'clickhouse'> & { some: readonly CountedSeries[] },
  asking: Asking,
): Promise<ReadonlySet<CountedSeries>> => {
  const told = some.map((one) => ({ one, closes: closesWithin(one, window) }));
  const ids = told.filter(({ closes }) => closes === undefined).map(({ one }) => one.state.id);
  const found = await seriesWithMarketIn(clickhouse, { window, ids }, asking);
  return new Set(told.filter(({ one, closes }) => closes ?? found.has(one.state.id)).map(({ one }) => one));
};

/** Undefined where the window lies between its first close and its last. */
const closesWithin = ({ figures }: CountedSeries, { fromUs, toUs }: Window): boolean | undefined => {
  const { oldest_close_us: oldest, newest_close_us: newest } = figures;
  if (oldest === null || newest === null || newest < fromUs || oldest > toUs) return false;
  return newest <= toUs || oldest >= fromUs ? true : undefined;
};
