import { type categoriesResponse, secondsOf, type SeriesState } from '@almanac/contracts';
import type { z } from 'zod';
import { byText } from '../tables/position.js';
import type { FiguresNow } from './compute-figures.js';

type Categories = z.output<typeof categoriesResponse>;

/** GET /categories by id, from memory. A category's name comes from its series, else its markets, else its id. */
export const categories = (states: Iterable<SeriesState>, now: FiguresNow): Categories => {
  const seriesIn = Map.groupBy(states, ({ category }) => category ?? '');
  seriesIn.delete('');
  const ids = new Set([...seriesIn.keys(), ...now.categories.keys()]);
  const found = [...ids].toSorted(byText).map((id): Categories['categories'][number] => {
    const series = seriesIn.get(id) ?? [];
    const { label = '', events_n = 0, markets_n = 0, live_n = 0 } = now.categories.get(id) ?? {};
    const ownLabel = series.map(({ category_label }) => category_label ?? '').reduce((a, b) => (a > b ? a : b), '');
    const closed_n = markets_n - live_n;
    return { id, label: ownLabel || label || id, series_n: series.length, events_n, markets_n, live_n, closed_n };
  });
  return { count: found.length, categories: found, source: 'cache', saved_ts: secondsOf(now.countedUs) };
};
