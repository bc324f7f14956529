import type { ClickHouse } from '@almanac/clickhouse';
import type { ReadableChange } from '../tables/heard.js';
import { countEvents, countMarkets, type EventCounts, type MarketFigures, seriesCountedMax } from './counted.js';
import { figuresOf, type FiguresNow } from './figures-now.js';

/** What was counted, and what of it has to be counted anew. */
export interface FiguresStore {
  readonly kept: FiguresNow | undefined;
  readonly isDue: boolean;
  /** All of it has to. */
  readonly isAllDue: boolean;
  changed(change: ReadableChange): void;
  /** A close that passes changes figures without an event. */
  closed(nowUs: number): void;
  count(nowUs: number): Promise<FiguresNow>;
}

export const figuresStore = (clickhouse: ClickHouse): FiguresStore => {
  let markets: ReadonlyMap<string, readonly MarketFigures[]> = new Map();
  let events: readonly EventCounts[] = [];
  let kept: FiguresNow | undefined;
  let due: ReadableChange = { all: true, series: new Set(), events: true };

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
    get kept() {
      return kept;
    },
    get isDue() {
      return due.all || due.events || due.series.size > 0;
    },
    get isAllDue() {
      return due.all || due.series.size > seriesCountedMax;
    },
    changed: (change) => {
      due = bothOf(due, change);
    },
    closed: (nowUs) => {
      if (kept === undefined || kept.nextCloseUs === null || kept.nextCloseUs > nowUs) return;
      const passed = [...markets].filter(([, figures]) =>
        figures.some(({ next_close_us }) => next_close_us !== null && next_close_us <= nowUs),
      );
      due = bothOf(due, { all: false, series: new Set(passed.map(([id]) => id)), events: false });
    },
    count: async (nowUs) => {
      const taken = { ...due, all: due.all || due.series.size > seriesCountedMax };
      due = { all: false, series: new Set(), events: false };
      try {
        await countChosen({ ...taken, events: taken.events || taken.all }, nowUs);
      } catch (error) {
        due = bothOf(due, taken);
        throw error;
      }
      kept = figuresOf({ markets, events, countedUs: nowUs });
      return kept;
    },
  };
};

const bothOf = (a: ReadableChange, b: ReadableChange): ReadableChange => ({
  all: a.all || b.all,
  series: new Set([...a.series, ...b.series]),
  events: a.events || b.events,
});
