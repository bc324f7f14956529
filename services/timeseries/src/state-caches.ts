import { type Bus, patterns } from '@almanac/bus';
import { type ArchiveState, archiveState, type MarketState, marketState, seriesState } from '@almanac/contracts';
import { stateCache, type VersionedState } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import { z } from 'zod';
import { pastMarkets } from './as-of/past-markets.js';
import type { TimeseriesConfig } from './config.js';
import type { StateCaches } from './market-context.js';

/** Only reads about the past need the history of a market, which takes more memory than all of its other fields. */
const marketWithoutHistory = marketState.extend({ history: z.unknown().transform((): MarketState['history'] => []) });

export interface StateCachesOptions {
  /** Called with every new data version. */
  readonly onArchive?: (subject: string, current: VersionedState<ArchiveState>) => void;
}

/** The states of this process, which their events refresh. */
export const startStateCaches = async (
  bus: Bus,
  config: Pick<TimeseriesConfig, 'MARKETS_CACHED'>,
  { log, onStop }: Runtime,
  { onArchive }: StateCachesOptions = {},
): Promise<StateCaches> => {
  const onUnreadable = (error: unknown, { subject, seq }: { subject: string; seq: number }): void =>
    log.error({ err: error, subject, seq }, 'an event cannot be read');
  const cacheOptions = { max: config.MARKETS_CACHED, readFrom: 'leader or replica', onUnreadable } as const;
  // Not all series: to list and load them at the start took 5 seconds beside two million markets.
  const series = await stateCache(bus, {
    ...cacheOptions,
    stream: 'EVT_CATALOG',
    filter: patterns.allSeries,
    state: seriesState,
    cachesMissing: true,
  });
  onStop('series', () => series.stop());
  const markets = await stateCache(bus, {
    ...cacheOptions,
    stream: 'EVT_CATALOG',
    filter: patterns.allMarkets,
    state: marketWithoutHistory,
  });
  onStop('markets', () => markets.stop());
  const archives = await stateCache(bus, {
    ...cacheOptions,
    stream: 'EVT_ARCHIVE',
    filter: patterns.allOf('EVT_ARCHIVE'),
    state: archiveState,
    ...(onArchive && { onChange: onArchive }),
  });
  onStop('data versions', () => archives.stop());
  return { series, markets, pastMarkets: pastMarkets(bus, markets), archives };
};
