import { setTimeout as pause } from 'node:timers/promises';
import type { ReadableChange } from '../tables/heard.js';
import type { FiguresNow } from './figures-now.js';
import type { FiguresStore } from './figures-store.js';

export interface SeriesFigures {
  /** The figures as they are, counted anew first where that is due and takes no time worth to notice. */
  current(nowUs: number): Promise<FiguresNow>;
  changed(change: ReadableChange): void;
  /** The next question sees all changes that were told of, however long that takes. */
  mustBeSeen(): void;
}

/** A question waits so long for newer figures, and else gets those that are there. */
const patienceMs = 50;
/** Of the time, at most a fifth is spent on counting. */
const restFactor = 4;
const restAfterFailureMs = 1_000;
/** Nothing tells which series a market left, or that tables were made anew; that is found by counting all again. */
const countAllMs = 300_000;
const anything: ReadableChange = { all: true, series: new Set(), events: true };

/**
 * Figures of series, categories and their events, in memory. They are counted once; then again, upon a question, of the
 * series of which a market changed or closed since.
 */
export const seriesFigures = (
  store: FiguresStore,
  log: { error(facts: object, message: string): void },
): SeriesFigures => {
  let urgent = false;
  let allCountedAt = performance.now();
  let restsUntil = 0;
  let tookMs = 0;
  let counting: Promise<FiguresNow> | undefined;

  const count = async (nowUs: number): Promise<FiguresNow> => {
    const startedAt = performance.now();
    urgent = false;
    try {
      const counted = await store.count(nowUs);
      tookMs = performance.now() - startedAt;
      restsUntil = performance.now() + restFactor * tookMs;
      return counted;
    } catch (error) {
      restsUntil = performance.now() + restAfterFailureMs;
      log.error({ err: error }, 'the figures of series could not be counted');
      // Older figures are better than none: they tell when they were counted.
      if (store.kept !== undefined) return store.kept;
      throw error;
    }
  };

  const counted = (nowUs: number): Promise<FiguresNow> =>
    (counting ??= count(nowUs).finally(() => (counting = undefined)));

  return {
    current: async (nowUs) => {
      if (store.kept === undefined) return counted(nowUs);
      if (performance.now() - allCountedAt > countAllMs) {
        allCountedAt = performance.now();
        store.changed(anything);
      }
      store.closed(nowUs);
      if (urgent) {
        // What runs may have begun before the change.
        await counting;
        return urgent ? counted(nowUs) : store.kept;
      }
      if (!store.isDue && counting === undefined) return store.kept;
      const restMs = Math.max(0, restsUntil - performance.now());
      if (restMs + tookMs <= patienceMs) {
        if (restMs > 0) await pause(restMs);
        return counted(nowUs);
      }
      // `count` throws only while there are no figures at all.
      if (restMs === 0) void counted(nowUs);
      return store.kept;
    },
    changed: (change) => store.changed(change),
    mustBeSeen: () => {
      urgent ||= store.isDue;
    },
  };
};
