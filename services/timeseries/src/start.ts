import { type Bus, connectFromConfig, ensureStream, patterns, rpcClient, serveModule } from '@almanac/bus';
import { clickHouseFromConfig, readSlots, serviceReadSlots } from '@almanac/clickhouse';
import { archiveState, type MarketState, marketState, seriesState } from '@almanac/contracts';
import { replicateStates, jetStreamStore, stateCache } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import { z } from 'zod';
import type { TimeseriesConfig } from './config.js';
import { withLastRows } from './as-of/last-rows.js';
import { pastMarkets } from './as-of/past-markets.js';
import { marketGaps } from './gaps/market-gaps.js';
import type { StateCaches } from './market-context.js';
import { announceOpenBatches } from './observations/announce-open-batches.js';
import { announcements } from './observations/announcements.js';
import { insertQueue } from './observations/insert-queue.js';
import type { StoreDeps } from './observations/store-observations.js';
import { PREVIEWS, READS, type ReadsDeps, SNAPSHOTS, STORING } from './timeseries-deps.js';
import { startPreviews } from './preview/start-previews.js';
import { archiveRows } from './snapshots/archive-rows.js';
import { unlocksAt } from './snapshots/book-access.js';
import type { SnapshotsDeps } from './snapshots/snapshots.query.js';
import { rowStreams } from './snapshots/stream-rows.js';
import { recordTradeTotals } from './trades/record-totals.reactor.js';
import { marketTradeTimes } from './trades/trade-times.js';
import { TimeseriesController } from './timeseries.controller.js';

/** Starts the service. The schema must exist: the operator's migrations create the tables. */
export const startTimeseries = async (config: TimeseriesConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  const clickhouse = clickHouseFromConfig(config, runtime, { application: 'almanac-timeseries' });
  await ensureStream(bus, 'EVT_ARCHIVE');
  const states = await knownStates(bus, config, runtime);
  const slots = serviceReadSlots(config, runtime);
  const rows = archiveRows(clickhouse, slots);
  const previews = await startPreviews(config, runtime, { bus, clickhouse, slots, states });
  const counting = await recordTradeTotals({ bus, clickhouse, log });
  onStop('trade totals', () => counting.stop());
  const inserts = insertQueue(clickhouse);
  const announcing = announcements({ clickhouse, inserts, store: jetStreamStore(bus), log });
  onStop('announced batches', () => announcing.stop());
  const storing: StoreDeps = { inserts, announcements: announcing };
  const reconciliation = announceOpenBatches(announcing, log);
  onStop('open batches', () => reconciliation.stop());
  const streams = rowStreams({ clickhouse, slots, streamSlots: readSlots({ atOnce: config.STREAMS_AT_ONCE }) });
  const rights = { plans: config.PLAN_TERMS, isUnlocked: unlocksAt(bus) };
  const gaps = marketGaps(rows);
  const lastRows = withLastRows(rows);
  const snapshots: SnapshotsDeps = { states, rows, streams, withLastRows: lastRows, ...rights };
  const reads: ReadsDeps = {
    states,
    rows,
    streams,
    gaps,
    withLastRows: lastRows,
    tradeTimes: marketTradeTimes(rows),
    rpc: rpcClient(bus),
    ...rights,
  };
  const providers = new Map<symbol, unknown>([
    [STORING, storing],
    [SNAPSHOTS, snapshots],
    [READS, reads],
    [PREVIEWS, previews],
  ]);
  const calls = await serveModule(bus, { controllers: [TimeseriesController], providers }, log);
  onStop('calls', () => calls.stop());
};

/** Only reads about the past need the history of a market, which takes more memory than all of its other fields. */
const marketWithoutHistory = marketState.extend({ history: z.unknown().transform((): MarketState['history'] => []) });

const knownStates = async (bus: Bus, config: TimeseriesConfig, { log, onStop }: Runtime): Promise<StateCaches> => {
  const onUnreadable = (error: unknown, { subject, seq }: { subject: string; seq: number }): void =>
    log.error({ err: error, subject, seq }, 'an event cannot be read');
  const cacheOptions = { max: config.MARKETS_KEPT, readFrom: 'leader', onUnreadable } as const;
  const series = await replicateStates(bus, {
    stream: 'EVT_CATALOG',
    filter: patterns.allSeries,
    state: seriesState,
    onUnreadable,
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
  });
  onStop('data versions', () => archives.stop());
  return { series, markets, pastMarkets: pastMarkets(bus, markets), archives };
};
