import { setTimeout as pause } from 'node:timers/promises';
import type { ReadableChange } from '../tables/pending-changes.js';
import type { FiguresNow } from './compute-figures.js';
import type { FiguresStore } from './figures-store.js';

export type SeriesFigures = ReturnType<typeof seriesFigures>;

/** A query waits this long for newer figures, then uses the old ones. */
const waitMsMax = 50;
/** Counting uses at most a fifth of the time, and counting everything a twentieth. */
const pauseFactor = 4;
const pauseFactorOfAll = 19;
const restAfterFailureMs = 1_000;
/** A rebuild of the tables is not reported. */
const countAllMs = 60_000;
const everythingChanged: ReadableChange = { all: true, series: new Set(), events: true };

/**
 * Figures of series, categories and their events, in memory. They are counted once in full. After that, a query
 * recounts the series with a changed or closed market. Nothing reports which series a market left, so after changes
 * everything is recounted now and then.
 */
export const seriesFigures = (
  store: FiguresStore,
  log: { error(facts: object, message: string): void },
  nowMs: () => number = () => performance.now(),
) => {
  const took = { all: 0, some: 0 };
  let urgent = false;
  let allCountedAt = nowMs();
  let restsUntil = 0;
  let counting: { readonly kind: 'all' | 'some'; readonly figures: Promise<FiguresNow> } | undefined;

  /** Counts everything if that is due or was long ago. Returns the kind of count. */
  const nextKind = (): 'all' | 'some' => {
    const agoMs = nowMs() - allCountedAt;
    const isTime = agoMs > countAllMs || (store.isStale && agoMs > pauseFactorOfAll * took.all);
    if (isTime) store.changed(everythingChanged);
    return isTime || store.isAllStale ? 'all' : 'some';
  };

  const count = async (kind: 'all' | 'some', nowUs: number): Promise<FiguresNow> => {
    const startedAt = nowMs();
    urgent = false;
    try {
      const counted = await store.count(nowUs);
      took[kind] = nowMs() - startedAt;
      // Not measured yet, and not longer than a full count.
      took.some ||= took.all;
      restsUntil = nowMs() + pauseFactor * took[kind];
      if (kind === 'all') allCountedAt = nowMs();
      return counted;
    } catch (error) {
      restsUntil = nowMs() + restAfterFailureMs;
      log.error({ err: error }, 'the figures of series could not be counted');
      // Older figures are better than none. They contain the time of their count.
      if (store.cached !== undefined) return store.cached;
      throw error;
    }
  };

  const counted = (kind: 'all' | 'some', nowUs: number): Promise<FiguresNow> => {
    counting ??= { kind, figures: count(kind, nowUs).finally(() => (counting = undefined)) };
    return counting.figures;
  };

  return {
    /** The current figures, counted again first if that is due and fast. */
    current: async (nowUs: number): Promise<FiguresNow> => {
      // A count in progress may have started before the change.
      if (urgent) await counting?.figures;
      if (store.cached === undefined) return counted('all', nowUs);
      store.closed(nowUs);
      const kind = counting?.kind ?? nextKind();
      if (urgent) return counted(kind, nowUs);
      if (!store.isStale && counting === undefined) return store.cached;
      const restMs = Math.max(0, restsUntil - nowMs());
      if (restMs + took[kind] <= waitMsMax) {
        if (restMs > 0) await pause(restMs);
        return counted(kind, nowUs);
      }
      // `counted` rejects only if there are no figures at all.
      if (restMs === 0) void counted(kind, nowUs);
      return store.cached;
    },
    oldestCloseUs: (series: string | undefined) => store.oldestCloseUs(series),
    changed: (change: ReadableChange) => store.changed(change),
    /** The next query includes all reported changes, however long the count takes. */
    requireRefresh: () => {
      urgent ||= store.isStale;
    },
  };
};
