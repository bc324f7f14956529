import { secondsOf } from '@almanac/contracts';
import type { CatalogueSources } from '../market/markets.js';
import type { FiguresNow } from '../series/figures-now.js';
import { type CountedSeries, positionOf, seriesScore, seriesThatFit } from '../series/series-items.js';
import { seriesWithMarketIn } from '../series/series-in-window.js';
import type { Asking } from '../tables/ask.js';
import type { Window } from '../tables/filters.js';
import type { Question } from '../tables/question.js';
import { byRank, closesWithin, firstWithin, type Ranked, type Sought } from './ranked.js';

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
  const found = await firstWithin(ranked, count, (some) => withMarketIn(window, { clickhouse, some }, asking));
  return found.map(({ hit }) => hit);
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

interface RankedSeries {
  readonly one: CountedSeries;
  readonly hit: Ranked;
}

const withMarketIn = async (
  window: Window,
  { clickhouse, some }: Pick<CatalogueSources, 'clickhouse'> & { some: readonly RankedSeries[] },
  asking: Asking,
): Promise<ReadonlySet<RankedSeries>> => {
  const told = some.map((ranked) => ({
    ranked,
    id: ranked.one.state.id,
    closes: closesWithin(ranked.one.figures, window),
  }));
  const ids = told.filter(({ closes }) => closes === undefined).map(({ id }) => id);
  const found = await seriesWithMarketIn(clickhouse, { window, ids }, asking);
  return new Set(told.filter(({ id, closes }) => closes ?? found.has(id)).map(({ ranked }) => ranked));
};
