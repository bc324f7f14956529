import { setTimeout as pause } from 'node:timers/promises';
import type { ListedMarket, VenueLists } from '../venues/venue-feed.js';

export interface FollowerOptions {
  readonly lists: VenueLists;
  /** The polling interval. A poll also follows each market close, because the next market opens then. */
  readonly everyMs: number;
  readonly nowMs: () => number;
  /** Called for a new market, and when its close or settlement changed. */
  readonly onMarket: (market: ListedMarket) => void;
  readonly onOpen: (markets: readonly ListedMarket[]) => void;
  readonly onFault: (error: unknown) => void;
}

/** How long a closed market is polled. A venue takes minutes to settle one, longer in disputes. */
const settlesWithinMs = 6 * 3_600_000;
const afterCloseMs = 1_000;
const followedMax = 200;

/** Follows the open markets of a series as they rotate, and each closed one until it is settled. */
export const followMarkets = (options: FollowerOptions): { stop(): Promise<void> } => {
  const { lists, nowMs } = options;
  const stopping = new AbortController();
  const followed = new Map<string, ListedMarket>();

  const take = (market: ListedMarket): void => {
    const known = followed.get(market.ticker);
    followed.set(market.ticker, market);
    if (known?.closeUs !== market.closeUs || known.isSettled !== market.isSettled) options.onMarket(market);
  };
  const poll = async (): Promise<void> => {
    const open = await lists.open();
    const isOpen = new Set(open.map(({ ticker }) => ticker));
    for (const market of open) take(market);
    options.onOpen(open);
    const closed = [...followed.keys()].filter((ticker) => !isOpen.has(ticker)).slice(0, followedMax);
    for (const market of await lists.of(closed)) take(market);
    for (const ticker of closed) {
      const market = followed.get(ticker);
      const isOver = nowMs() - (market?.closeUs ?? 0) / 1000 > settlesWithinMs;
      if (market?.isSettled === true || isOver) followed.delete(ticker);
    }
  };
  const untilNextMs = (): number => {
    const closes = [...followed.values()].map(({ closeUs }) => (closeUs ?? 0) / 1000 + afterCloseMs - nowMs());
    const next = Math.min(options.everyMs, ...closes.filter((ms) => ms > 0));
    return next * (0.9 + Math.random() / 10) + 1;
  };
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      await poll().catch(options.onFault);
      await pause(untilNextMs(), undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  };
  const running = run();
  return {
    stop: async () => {
      stopping.abort();
      await running;
    },
  };
};
