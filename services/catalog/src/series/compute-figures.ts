import type { EventCounts, MarketFigures } from './count-queries.js';

/** Figures of the markets of a series. Times are microseconds, null if there are none. */
export interface SeriesFiguresNow {
  readonly markets_n: number;
  readonly known_n: number;
  readonly live_n: number;
  readonly sample_title: string | null;
  readonly next_close_us: number | null;
  readonly last_close_us: number | null;
  readonly min_open_us: number | null;
  readonly newest_close_us: number | null;
  readonly oldest_close_us: number | null;
  readonly close_key: number;
}

/** Series, events and markets count by their own category, like the category filters of their listings. */
export interface CategoryFigures {
  readonly label: string;
  readonly events_n: number;
  readonly markets_n: number;
  readonly live_n: number;
}

export interface FiguresNow {
  readonly series: ReadonlyMap<string, SeriesFiguresNow>;
  readonly categories: ReadonlyMap<string, CategoryFigures>;
  readonly events: ReadonlyMap<string, number>;
  readonly countedUs: number;
  readonly oldestCloseUs: number | null;
  /** When the next live market closes, which changes figures without an event. */
  readonly nextCloseUs: number | null;
}

export const noFigures: SeriesFiguresNow = {
  markets_n: 0,
  known_n: 0,
  live_n: 0,
  sample_title: null,
  next_close_us: null,
  last_close_us: null,
  min_open_us: null,
  newest_close_us: null,
  oldest_close_us: null,
  close_key: -1,
};

export const figuresOf = ({
  markets,
  events,
  countedUs,
}: {
  markets: ReadonlyMap<string, readonly MarketFigures[]>;
  events: readonly EventCounts[];
  countedUs: number;
}): FiguresNow => {
  const series = new Map([...markets].filter(([id]) => id !== '').map(([id, rows]) => [id, together(rows)]));
  const all = [...markets.values()].flat();
  const ids = new Set([...all, ...events].map(({ category }) => category).filter((category) => category !== ''));
  const marketsIn = Map.groupBy(all, ({ category }) => category);
  const eventsIn = Map.groupBy(events, ({ category }) => category);
  const categories = new Map([...ids].map((id) => [id, ofCategory(marketsIn.get(id) ?? [], eventsIn.get(id) ?? [])]));
  const eventsOf = Map.groupBy(events, (row) => row.series);
  return {
    series,
    categories,
    events: new Map([...eventsOf].map(([id, rows]) => [id, sum(rows.map(({ events_n }) => events_n))])),
    countedUs,
    oldestCloseUs: least(all.map(({ oldest_close_us }) => oldest_close_us)),
    nextCloseUs: least(all.map(({ next_close_us }) => next_close_us)),
  };
};

const together = (rows: readonly MarketFigures[]): SeriesFiguresNow => {
  const titled = rows.filter(({ sample_title }) => sample_title !== '');
  const sample = titled.toSorted((a, b) => b.sample_key - a.sample_key)[0];
  return {
    markets_n: sum(rows.map(({ markets_n }) => markets_n)),
    known_n: sum(rows.map(({ known_n }) => known_n)),
    live_n: sum(rows.map(({ live_n }) => live_n)),
    sample_title: sample?.sample_title ?? null,
    next_close_us: least(rows.map(({ next_close_us }) => next_close_us)),
    last_close_us: greatest(rows.map(({ last_close_us }) => last_close_us)),
    min_open_us: least(rows.map(({ min_open_us }) => min_open_us)),
    newest_close_us: greatest(rows.map(({ newest_close_us }) => newest_close_us)),
    oldest_close_us: least(rows.map(({ oldest_close_us }) => oldest_close_us)),
    close_key: greatest(rows.map(({ newest_key }) => newest_key)) ?? -1,
  };
};

const ofCategory = (markets: readonly MarketFigures[], events: readonly EventCounts[]): CategoryFigures => ({
  label: markets.map(({ category_label }) => category_label).reduce((a, b) => (a > b ? a : b), ''),
  events_n: sum(events.map(({ events_n }) => events_n)),
  markets_n: sum(markets.map(({ markets_n }) => markets_n)),
  live_n: sum(markets.map(({ live_n }) => live_n)),
});

const sum = (counts: readonly number[]): number => counts.reduce((a, b) => a + b, 0);

const known = (times: readonly (number | null)[]): number[] => times.filter((time) => time !== null);

const least = (times: readonly (number | null)[]): number | null =>
  known(times).reduce<number | null>((a, b) => (a === null || b < a ? b : a), null);

const greatest = (times: readonly (number | null)[]): number | null =>
  known(times).reduce<number | null>((a, b) => (a === null || b > a ? b : a), null);
