import { subjects } from '@almanac/bus';
import { type SeriesState, seriesState } from '@almanac/contracts';
import type { CatalogueSources } from '../market/markets.js';
import { type Parent, type PastArchive, pastTable } from '../market/past-markets.js';
import { readableSeries } from '../words/readable-names.js';
import { byText } from '../tables/position.js';
import { type FiguresNow, figuresOf } from './compute-figures.js';
import { countMarkets, countPastEvents, type MarketFigures } from './count-queries.js';
import { putSeries, seriesText } from '../tables/series-text.js';

/** All series as of a time, or one, with their figures then. Their own labels have no knowledge time, so derived ones are used. */
export const pastFigures = async (
  { clickhouse, asOfUs, signal }: PastArchive,
  present: CatalogueSources['series'],
  parent?: Parent,
): Promise<{ readonly now: FiguresNow; readonly series: CatalogueSources['series'] }> => {
  const asOf = pastTable(asOfUs, parent);
  const [markets, events] = await Promise.all([
    countMarkets(clickhouse, { series: undefined, nowUs: asOfUs, asOf }),
    countPastEvents(clickhouse, asOf, signal),
  ]);
  const states = new Map<string, SeriesState>();
  const text = seriesText();
  for (const [id, figures] of markets) {
    if (id === '') continue;
    const state = pastSeries(id, figures, present.states.get(subjects.series(id))?.shape ?? null);
    states.set(subjects.series(id), state);
    putSeries(text, state);
  }
  return { now: figuresOf({ markets, events, countedUs: asOfUs }), series: { states, text } };
};

/** Of several categories, the last by name, as in a search. */
const pastSeries = (id: string, figures: readonly MarketFigures[], shape: string | null): SeriesState => {
  const [first] = figures.toSorted((a, b) => byText(b.category, a.category));
  return seriesState.parse({
    id,
    label: readableSeries(id),
    derived_label: true,
    category: first?.category || null,
    category_label: first?.category_label || null,
    shape,
  });
};
