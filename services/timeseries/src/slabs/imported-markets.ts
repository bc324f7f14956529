import { setTimeout as delay } from 'node:timers/promises';
import type { Running } from '@almanac/bus';
import type { Logger } from '@almanac/runtime';
import type { Prepared } from './slabs.js';

export interface ImportedMarketsOptions {
  /** Makes all slabs of a market. One that has none is ready. */
  readonly prepare: (ticker: string) => Promise<Prepared>;
  readonly log: Pick<Logger, 'warn'>;
  /** Markets that wait. The first readers of others wait for ClickHouse. Default: 20,000. */
  readonly max?: number;
  /** Nothing is prepared until no import has stored anything for this long. Default: 10 s. */
  readonly quietMs?: number;
}

export interface ImportedMarkets extends Running {
  /** Call it for each change of old data. */
  note(ticker: string): void;
}

const markets = { max: 20_000, quietMs: 10_000 } as const;

/**
 * Makes the slabs of imported markets, one at a time, when the import is over, so that their first windows need no query.
 * What waits is lost with the process. It ends when the folder is full, because slabs that were read are worth more.
 */
export const importedMarkets = (options: ImportedMarketsOptions): ImportedMarkets => {
  const { prepare, log, max = markets.max, quietMs = markets.quietMs } = options;
  const waiting = new Set<string>();
  const stopping = new AbortController();
  let notedMs = -Infinity;
  const next = (): string | undefined => {
    if (performance.now() - notedMs < quietMs) return undefined;
    const [first] = waiting;
    return first;
  };
  const prepareNext = async (ticker: string): Promise<'again' | 'rest'> => {
    // A change during the work adds it again.
    waiting.delete(ticker);
    const outcome = await prepare(ticker).catch((error: unknown) => {
      log.warn({ err: error, ticker }, 'the slabs of an imported market could not be made');
      return 'ready';
    });
    if (outcome === 'full') waiting.clear();
    if (outcome !== 'busy') return 'again';
    waiting.add(ticker);
    return 'rest';
  };
  const working = (async () => {
    while (!stopping.signal.aborted) {
      const ticker = next();
      const then = ticker === undefined ? 'rest' : await prepareNext(ticker);
      if (then === 'rest') await delay(quietMs / 10, undefined, { signal: stopping.signal }).catch(() => undefined);
    }
  })();
  return {
    note: (ticker) => {
      notedMs = performance.now();
      if (waiting.size < max) waiting.add(ticker);
    },
    stop: async () => {
      stopping.abort();
      await working;
    },
  };
};
