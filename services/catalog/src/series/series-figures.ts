import { setTimeout as pause } from 'node:timers/promises';
import type { ReadableChange } from '../tables/pending-changes.js';
import type { FiguresNow } from './compute-figures.js';
import type { FiguresStore } from './figures-store.js';

export interface SeriesFigures {
  /** The figures as they are, counted anew first where that is due and takes no time worth to notice. */
  current(nowUs: number): Promise<FiguresNow>;
  changed(change: ReadableChange): void;
  /** The next question sees all changes that were told of, however long that takes. */
  requireRefresh(): void;
}

/** A question waits so long for newer figures, and else gets those that are there. */
const waitMsMax = 50;
/** Of the time, a fifth is spent on counting at most, and a twentieth on counting all. */
const pauseFactor = 4;
const pauseFactorOfAll = 19;
const restAfterFailureMs = 1_000;
/** Tables that were made anew are heard of by nobody. */
const countAllMs = 60_000;
const everythingChanged: ReadableChange = { all: true, series: new Set(), events: true };

/**
 * Figures of series, categories and their events, in memory. They are counted once; then again, upon a question, of the
 * series of which a market changed or closed since. Which series a market left is told by nothing, so when something
 * changed all are counted now and then.
 */
export const seriesFigures = (
  store: FiguresStore,
  log: { error(facts: object, message: string): void },
  nowMs: () => number = () => performance.now(),
): SeriesFigures => {
  const took = { all: 0, some: 0 };
  let urgent = false;
  let allCountedAt = nowMs();
  let restsUntil = 0;
  let counting: { readonly kind: 'all' | 'some'; readonly figures: Promise<FiguresNow> } | undefined;

  /** Counts all when that is due, or was not done for long, and tells how. */
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
      // Not known yet, and not longer than that.
      took.some ||= took.all;
      restsUntil = nowMs() + pauseFactor * took[kind];
      if (kind === 'all') allCountedAt = nowMs();
      return counted;
    } catch (error) {
      restsUntil = nowMs() + restAfterFailureMs;
      log.error({ err: error }, 'the figures of series could not be counted');
      // Older figures are better than none: they tell when they were counted.
      if (store.cached !== undefined) return store.cached;
      throw error;
    }
  };

  const counted = (kind: 'all' | 'some', nowUs: number): Promise<FiguresNow> => {
    counting ??= { kind, figures: count(kind, nowUs).finally(() => (counting = undefined)) };
    return counting.figures;
  };

  return {
    current: async (nowUs) => {
      // What runs may have begun before a change that must be seen.
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
      // `count` throws only while there are no figures at all.
      if (restMs === 0) void counted(kind, nowUs);
      return store.cached;
    },
    changed: (change) => store.changed(change),
    requireRefresh: () => {
      urgent ||= store.isStale;
    },
  };
};
