import { type Bus, connectFromConfig, ensureStream, rpcClient } from '@almanac/bus';
import { serveService } from '@almanac/bus/server';
import { type ClickHouse, clickHouseFromConfig } from '@almanac/clickhouse';
import { jetStreamStore } from '@almanac/event-store';
import { type Runtime, serviceReadSlots } from '@almanac/runtime';
import type { TimeseriesConfig } from './config.js';
import { withLastRows } from './as-of/last-rows.js';
import { venueRanges } from './candles/venue-ranges.js';
import { marketGaps } from './gaps/market-gaps.js';
import { startStateCaches } from './state-caches.js';
import { announceOpenBatches } from './observations/announce-open-batches.js';
import { announcements } from './observations/announcements.js';
import { insertQueue } from './observations/insert-queue.js';
import { StagingTables } from './observations/staging-tables.js';
import { type RecentStates, recentStates } from './observations/recent-states.js';
import type { TimeseriesDeps } from './timeseries-deps.js';
import { startPreviews } from './preview/start-previews.js';
import { marketRows } from './slabs/market-rows.js';
import { startSlabs } from './slabs/start-slabs.js';
import { archiveRows } from './rows/archive-rows.js';
import { unlocksAt } from './snapshots/book-access.js';
import { partSlots } from './rows/part-slots.js';
import { heldStreams } from './rows/stream-places.js';
import { rowStreams } from './rows/stream-rows.js';
import { recordTradeTotals } from './trades/record-totals.reactor.js';
import { marketTradeTimes } from './trades/trade-times.js';
import { timeseriesController } from './timeseries.controller.js';

/** Starts the service. The schema must exist: the operator's migrations create the tables. */
export const startTimeseries = async (config: TimeseriesConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  const clickhouse = clickHouseFromConfig(config, runtime, { application: 'almanac-timeseries' });
  await ensureStream(bus, 'EVT_ARCHIVE');
  const recent = recentStates();
  const states = await startStateCaches(bus, config, runtime, { onArchive: recent.put });
  const slots = serviceReadSlots(config, runtime);
  const rows = archiveRows(clickhouse, slots);
  const ranges = venueRanges(rows);
  const slabs = await startSlabs(config, runtime, { clickhouse, slots });
  const previews = await startPreviews(config, runtime, {
    bus,
    clickhouse,
    slots,
    states,
    slabs,
    venueRanges: ranges,
  });
  const counting = await recordTradeTotals({ bus, clickhouse, log });
  onStop('trade totals', () => counting.stop());
  const storing = storingWith(bus, runtime, { clickhouse, recent });
  const reconciliation = announceOpenBatches(storing.announcements, log);
  onStop('open batches', () => reconciliation.stop());
  const streamSlots = partSlots(config.STREAMS_CONCURRENT);
  const held = heldStreams(streamSlots, config.STREAMS_CONCURRENT);
  const streams = rowStreams({ clickhouse, slots, streamSlots, held });
  const rights = { plans: config.PLAN_TERMS, isUnlocked: unlocksAt(bus) };
  const gaps = marketGaps(rows);
  const lastRows = withLastRows(rows);
  const snapshots: TimeseriesDeps['snapshots'] = {
    states,
    rows: marketRows(rows, slabs),
    archive: rows,
    streams,
    withLastRows: lastRows,
    ...rights,
  };
  const reads: TimeseriesDeps['reads'] = {
    states,
    rows,
    streams,
    gaps,
    withLastRows: lastRows,
    tradeTimes: marketTradeTimes(rows),
    venueRanges: ranges,
    slabs,
    rpc: rpcClient(bus),
    ...rights,
  };
  const deps: TimeseriesDeps = { storing, snapshots, reads, previews };
  const calls = await serveService(bus, 'timeseries', timeseriesController(deps), log);
  onStop('calls', () => calls.stop());
};

const storingWith = (
  bus: Bus,
  { log, onStop }: Runtime,
  { clickhouse, recent }: { readonly clickhouse: ClickHouse; readonly recent: RecentStates },
) => {
  const inserts = insertQueue(clickhouse);
  const announcing = announcements({ clickhouse, inserts, store: jetStreamStore(bus), recent, log });
  onStop('announced batches', () => announcing.stop());
  const staging = new StagingTables({ clickhouse, announcements: announcing, log });
  return { clickhouse, inserts, announcements: announcing, staging };
};
