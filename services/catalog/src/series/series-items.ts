import { secondsOf, type SeriesItem, type SeriesState } from '@almanac/contracts';
import { type Filters, type Status, statusOfMany } from '../tables/filters.js';
import { byPosition, type Position } from '../tables/position.js';
import { type FiguresNow, noFigures, type SeriesFiguresNow } from './compute-figures.js';

export interface CountedSeries {
  readonly state: SeriesState;
  readonly figures: SeriesFiguresNow;
  readonly events_n: number;
  readonly status: Status | null;
}

export const countedSeries = (state: SeriesState, now: FiguresNow): CountedSeries => {
  const figures = now.series.get(state.id) ?? noFigures;
  const events_n = now.events.get(state.id) ?? 0;
  return { state, figures, events_n, status: statusOfMany(figures, now.countedUs) };
};

/** Series that match all filters except the window, in listing order: live ones first, then newest close, then id. */
export const seriesThatFit = (
  states: readonly SeriesState[],
  now: FiguresNow,
  { filters }: { filters: Filters },
): CountedSeries[] =>
  states
    .filter(({ category }) => filters.category === undefined || category === filters.category)
    .map((state) => countedSeries(state, now))
    .filter(({ status }) => filters.status === undefined || status === filters.status)
    .toSorted((a, b) => byPosition(positionOf(a), positionOf(b)));

/** A live market closes later than any closed one, so live series come first by key alone. */
export const positionOf = ({ state, figures }: CountedSeries): Position => ({ key: figures.close_key, id: state.id });

export const presentSeries = ({ state, figures, events_n, status }: CountedSeries): SeriesItem => ({
  id: state.id,
  label: state.label ?? state.id,
  category: state.category,
  category_label: state.category_label,
  shape: state.shape,
  markets_n: figures.markets_n,
  live_n: figures.live_n,
  closed_n: figures.markets_n - figures.live_n,
  events_n,
  sample_title: figures.sample_title,
  next_close_ts: secondsOf(figures.next_close_us),
  last_close_ts: secondsOf(figures.last_close_us),
  min_open_ts: secondsOf(figures.min_open_us),
  status,
});
