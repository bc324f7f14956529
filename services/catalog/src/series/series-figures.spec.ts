import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { ReadableChange } from '../tables/pending-changes.js';
import { figuresOf, type FiguresNow } from './compute-figures.js';
import type { FiguresStore } from './figures-store.js';
import { seriesFigures } from './series-figures.js';

const one: ReadableChange = { all: false, series: new Set(['A']), events: false };

interface CountingStore extends FiguresStore {
  counts: number;
  /** The duration of a count, on a simulated clock. */
  ms: number;
  clockMs: number;
  fails: boolean;
  countedAll: boolean;
}

const countingStore = (): CountingStore => {
  let stale = true;
  let all = true;
  let cached: FiguresNow | undefined;
  return {
    counts: 0,
    ms: 0,
    clockMs: 1_000,
    fails: false,
    countedAll: false,
    get cached() {
      return cached;
    },
    get isStale() {
      return stale;
    },
    get isAllStale() {
      return all;
    },
    changed: (change) => {
      stale = true;
      all ||= change.all;
    },
    closed: () => undefined,
    oldestCloseUs: () => undefined,
    async count(nowUs) {
      this.counts += 1;
      this.countedAll = all;
      stale = false;
      all = false;
      this.clockMs += this.ms;
      await Promise.resolve();
      if (this.fails) {
        stale = true;
        throw new Error('down');
      }
      cached = figuresOf({ markets: new Map(), events: [], countedUs: nowUs });
      return cached;
    },
  };
};

describe('the figures of series', () => {
  let store: ReturnType<typeof countingStore>;
  let logged: unknown[];
  const make = () => seriesFigures(store, { error: (facts) => void logged.push(facts) }, () => store.clockMs);
  beforeEach(() => {
    store = countingStore();
    logged = [];
  });

  it('are counted once for concurrent callers, and not again while nothing changes', async () => {
    const figures = make();
    await Promise.all([figures.current(1), figures.current(2)]);
    assert.equal((await figures.current(3)).countedUs, 1);
    assert.equal(store.counts, 1);
  });

  it('are awaited where counting is quick', async () => {
    const figures = make();
    await figures.current(1);
    figures.changed(one);
    assert.equal((await figures.current(2)).countedUs, 2);
  });

  it('are returned as they are where counting is slow, and counted in the background for at most a fifth of the time', async () => {
    const figures = make();
    store.ms = 200;
    await figures.current(1);
    figures.changed(one);
    store.clockMs += 799;
    assert.equal((await figures.current(2)).countedUs, 1);
    assert.equal(store.counts, 1);
    store.clockMs += 1;
    assert.equal((await figures.current(3)).countedUs, 1);
    assert.equal(store.counts, 2);
    assert.equal((await figures.current(4)).countedUs, 3);
  });

  it('are all recounted from time to time while something changes', async () => {
    const figures = make();
    store.ms = 200;
    await figures.current(0);
    const kinds: boolean[] = [];
    for (let n = 0; n < 40; n += 1) {
      store.clockMs += 800;
      figures.changed(one);
      figures.requireRefresh();
      await figures.current(n);
      kinds.push(store.countedAll);
    }
    // Counting may use a twentieth of forty seconds, which is two: at most ten times.
    assert.equal(kinds.filter((all) => all).length, 8);
  });

  it('include a required change even when an earlier count is still running', async () => {
    const figures = make();
    const first = figures.current(1);
    figures.changed(one);
    figures.requireRefresh();
    assert.equal((await figures.current(2)).countedUs, 2);
    assert.equal((await first).countedUs, 1);
    figures.requireRefresh();
    assert.equal((await figures.current(3)).countedUs, 2, 'nothing changed');
  });

  it('are the older ones when counting fails, and an error when there are none', async () => {
    store.fails = true;
    const figures = make();
    await assert.rejects(figures.current(1), /down/);
    store.fails = false;
    await figures.current(2);
    store.fails = true;
    figures.changed(one);
    figures.requireRefresh();
    assert.equal((await figures.current(3)).countedUs, 2);
    assert.equal(logged.length, 2);
  });
});
