import { secondsOf } from '@almanac/contracts';
import type { CatalogueSources } from '../market/markets.js';
import type { FiguresNow } from '../series/figures-now.js';
import { type CountedSeries, positionOf, seriesScore, seriesThatFit } from '../series/series-items.js';
import { seriesWithMarketIn } from '../series/series-in-window.js';
import type { Asking } from '../tables/ask.js';
import type { Window } from '../tables/filters.js';
import type { Ranked, Sought } from './ranked.js';

/** Series that answer, from memory; the archive is asked only where their newest close does not tell of a window. */
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
  const closesLater = ({ figures }: CountedSeries): boolean => (figures.newest_close_us ?? 0) > window.toUs;
  const later = fitting.filter(closesLater).map(({ state }) => state.id);
  const found = await seriesWithMarketIn(clickhouse, { window, ids: later }, asking);
  return fitting.filter((one) => {
    const newest = one.figures.newest_close_us;
    if (newest === null || newest < window.fromUs) return false;
    return closesLater(one) ? found.has(one.state.id) : true;
  });
};
