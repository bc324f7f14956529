import { secondsOf } from '@almanac/contracts';
import type { CatalogueSources } from '../market/markets.js';
import type { FiguresNow } from '../series/figures-now.js';
import { type CountedSeries, positionOf, seriesScore, seriesThatFit } from '../series/series-items.js';
import { seriesWithMarketIn } from '../series/series-in-window.js';
import type { Asking } from '../tables/ask.js';
import type { Window } from '../tables/filters.js';
import type { Ranked, Sought } from './ranked.js';

/** Series that answer, from memory; the archive is asked only where their first and last closes do not tell of a window. */
export const seriesHits = async (
  { clickhouse, series, now }: CatalogueSources & { now: FiguresNow },
  { filters, question }: Sought,
  asking: Asking,
): Promise<Ranked[]> => {
  const fitting = seriesThatFit(series.values(), now, { filters, question });
  const chosen = filters.window ? await withMarketIn(filters.window, { clickhouse, fitting }, asking) : fitting;
  return chosen.map((one) => ({
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
  }));
};

const withMarketIn = async (
  window: Window,
  { clickhouse, fitting }: Pick<CatalogueSources, 'clickhouse'> & { fitting: readonly CountedSeries[] },
  asking: Asking,
): Promise<CountedSeries[]> => {
  const told = fitting.map((one) => ({ one, closes: closesWithin(one, window) }));
  const ids = told.filter(({ closes }) => closes === undefined).map(({ one }) => one.state.id);
  const found = await seriesWithMarketIn(clickhouse, { window, ids }, asking);
  return told.filter(({ one, closes }) => closes ?? found.has(one.state.id)).map(({ one }) => one);
};

/** Undefined where the window lies between its first close and its last. */
const closesWithin = ({ figures }: CountedSeries, { fromUs, toUs }: Window): boolean | undefined => {
  const { oldest_close_us: oldest, newest_close_us: newest } = figures;
  if (oldest === null || newest === null || newest < fromUs || oldest > toUs) return false;
  return newest <= toUs || oldest >= fromUs ? true : undefined;
};
