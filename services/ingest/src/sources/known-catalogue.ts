import type { CatalogueFact } from '@almanac/contracts';
import { type Category } from '../values/category.js';
import { copyText } from '../values/copy-text.js';
import { type BlockTimes, blockTimes } from './block-times.js';

/**
 * Facts from earlier files of one import. A market in a dump names neither its series nor its category, but its event
 * and series do. The memory is bounded: a market whose entry was dropped only lacks the category.
 */
export interface KnownCatalogue {
  see(fact: CatalogueFact): void;
  /** The blocks of fills. */
  readonly blocks?: BlockTimes;
  readonly series: (id: string) => KnownSeries | undefined;
  readonly event: (ticker: string) => KnownEvent | undefined;
}

export interface KnownSeries {
  readonly category: Category | null;
}

export interface KnownEvent {
  readonly series: string | null;
  readonly category: Category | null;
}

const seriesMax = 50_000;
const eventsMax = 200_000;

export const knownCatalogue = (): KnownCatalogue => {
  const series = new Map<string, KnownSeries>();
  const events = new Map<string, KnownEvent>();

  const seeSeries = (id: string, category: Category | null): void => {
    const before = series.get(id);
    if (before === undefined || (category !== null && before.category === null))
      putBounded(series, { key: id, value: { category }, max: seriesMax });
  };
  return {
    blocks: blockTimes(),
    series: (id) => series.get(id),
    event: (ticker) => events.get(ticker),
    see: (fact) => {
      const category = categoryIn(fact);
      if (fact.kind === 'series') {
        // A series' own category takes precedence over that of its events.
        putBounded(series, {
          key: fact.id,
          value: {
            category: category ?? series.get(fact.id)?.category ?? null,
          },
          max: seriesMax,
        });
        return;
      }
      if (typeof fact.series === 'string') seeSeries(fact.series, category);
      if (fact.kind === 'market') return;
      const value = { series: nonEmpty(fact.series), category };
      putBounded(events, { key: fact.event_ticker, value, max: eventsMax });
    },
  };
};

const putBounded = <T>(entries: Map<string, T>, { key, value, max }: { key: string; value: T; max: number }): void => {
  if (entries.size >= max && !entries.has(key))
    for (const oldest of entries.keys()) {
      entries.delete(oldest);
      break;
    }
  entries.set(copyText(key), value);
};

const nonEmpty = (text: string | null | undefined): string | null => (typeof text === 'string' ? copyText(text) : null);

const categories = new Map<string, Category>();

/** One shared object per category, because there are a few dozen for many entities. */
const categoryIn = ({ category, category_label }: CatalogueFact): Category | null => {
  if (typeof category !== 'string') return null;
  const label = category_label ?? category;
  const key = `${category} ${label}`;
  const found = categories.get(key) ?? { category: copyText(category), category_label: copyText(label) };
  if (categories.size < 1_000) categories.set(key, found);
  return found;
};
