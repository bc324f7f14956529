import type { ClickHouse } from '@almanac/clickhouse';
import type { ReadableChange } from '../tables/pending-changes.js';
import { countEvents, countMarkets, type EventCounts, type MarketFigures, seriesCountedMax } from './count-queries.js';
import { figuresOf, type FiguresNow } from './compute-figures.js';

/** The counted figures, and which of them are stale. */
export type FiguresStore = ReturnType<typeof figuresStore>;

export const figuresStore = (clickhouse: ClickHouse) => {
  let markets: ReadonlyMap<string, readonly MarketFigures[]> = new Map();
  let events: readonly EventCounts[] = [];
  let cached: FiguresNow | undefined;
  let stale: ReadableChange = { all: true, series: new Set(), events: true };

  const countChosen = async ({ all, series, events: ofEvents }: ReadableChange, nowUs: number): Promise<void> => {
    const chosen = all ? undefined : [...series];
    const [found, counted] = await Promise.all([
      chosen?.length === 0
        ? new Map<string, readonly MarketFigures[]>()
        : countMarkets(clickhouse, { series: chosen, nowUs }),
      ofEvents ? countEvents(clickhouse) : events,
    ]);
    const others = all ? [] : [...markets].filter(([id]) => !series.has(id));
    markets = new Map([...others, ...found]);
    events = counted;
  };

  return {
    get cached() {
      return cached;
    },
    get isStale() {
      return stale.all || stale.events || stale.series.size > 0;
    },
    get isAllStale() {
      return stale.all || stale.series.size > seriesCountedMax;
    },
    /** The oldest known close of a series, or of all. Null: there is none. Undefined: a change awaits its count. */
    oldestCloseUs: (series: string | undefined): number | null | undefined => {
      const isCounted = !stale.all && (series === undefined ? stale.series.size === 0 : !stale.series.has(series));
      if (cached === undefined || !isCounted) return undefined;
      return series === undefined ? cached.oldestCloseUs : (cached.series.get(series)?.oldest_close_us ?? null);
    },
    changed: (change: ReadableChange) => {
      stale = bothOf(stale, change);
    },
    /** A close changes figures without an event. */
    closed: (nowUs: number) => {
      if (cached === undefined || cached.nextCloseUs === null || cached.nextCloseUs > nowUs) return;
      const passed = [...markets].filter(([, figures]) =>
        figures.some(({ next_close_us }) => next_close_us !== null && next_close_us <= nowUs),
      );
      stale = bothOf(stale, { all: false, series: new Set(passed.map(([id]) => id)), events: false });
    },
    count: async (nowUs: number): Promise<FiguresNow> => {
      const taken = { ...stale, all: stale.all || stale.series.size > seriesCountedMax };
      stale = { all: false, series: new Set(), events: false };
      try {
        await countChosen({ ...taken, events: taken.events || taken.all }, nowUs);
      } catch (error) {
        stale = bothOf(stale, taken);
        throw error;
      }
      cached = figuresOf({ markets, events, countedUs: nowUs });
      return cached;
    },
  };
};

const bothOf = (a: ReadableChange, b: ReadableChange): ReadableChange => ({
  all: a.all || b.all,
  series: new Set([...a.series, ...b.series]),
  events: a.events || b.events,
});
