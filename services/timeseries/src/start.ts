import { type Bus, connectFromConfig, ensureStream, patterns, serveModule } from '@almanac/bus';
import { clickHouseFromConfig } from '@almanac/clickhouse';
import { archiveState, marketState, seriesState } from '@almanac/contracts';
import { followStates, jetStreamStore, stateCache } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import type { TimeseriesConfig } from './config.js';
import type { KnownStates } from './known-market.js';
import type { StoreParts } from './observations/store-observations.js';
import { PREVIEWS, SNAPSHOTS, STORING } from './parts.js';
import { startPreviews } from './preview/start-previews.js';
import { archiveRows } from './snapshots/archive-rows.js';
import { unlocksAt } from './snapshots/book-access.js';
import { readSlots } from './snapshots/read-slots.js';
import type { SnapshotsParts } from './snapshots/snapshots.read-model.js';
import { TimeseriesController } from './timeseries.controller.js';

/** Starts the service on a schema that is there already: the tables are made by the operator's migrations. */
export const startTimeseries = async (config: TimeseriesConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  const clickhouse = clickHouseFromConfig(config, runtime, { application: 'almanac-timeseries' });
  await ensureStream(bus, 'EVT_ARCHIVE');
  const states = await knownStates(bus, config, runtime);
  const slots = readSlots(config.READS_AT_ONCE);
  const rows = archiveRows(clickhouse, slots);
  const previews = await startPreviews(config, runtime, { bus, clickhouse, slots, states });
  const storing: StoreParts = { clickhouse, store: jetStreamStore(bus) };
  const snapshots: SnapshotsParts = { states, rows, plans: config.PLAN_TERMS, isUnlocked: unlocksAt(bus) };
  const providers = new Map<symbol, unknown>([
    [STORING, storing],
    [SNAPSHOTS, snapshots],
    [PREVIEWS, previews],
  ]);
  const calls = await serveModule(bus, { controllers: [TimeseriesController], providers }, log);
  onStop('calls', () => calls.stop());
};

const knownStates = async (bus: Bus, config: TimeseriesConfig, { log, onStop }: Runtime): Promise<KnownStates> => {
  const onUnreadable = (error: unknown, { subject, seq }: { subject: string; seq: number }): void =>
    log.error({ err: error, subject, seq }, 'an event cannot be read');
  const kept = { max: config.MARKETS_KEPT, ask: 'leader', onUnreadable } as const;
  const series = await followStates(bus, {
    stream: 'EVT_CATALOG',
    filter: patterns.allSeries,
    state: seriesState,
    onUnreadable,
  });
  onStop('series', () => series.stop());
  const markets = await stateCache(bus, {
    ...kept,
    stream: 'EVT_CATALOG',
    filter: patterns.allMarkets,
    state: marketState,
  });
  onStop('markets', () => markets.stop());
  const archives = await stateCache(bus, {
    ...kept,
    stream: 'EVT_ARCHIVE',
    filter: patterns.allOf('EVT_ARCHIVE'),
    state: archiveState,
  });
  onStop('data versions', () => archives.stop());
  return { series, markets, archives };
};
