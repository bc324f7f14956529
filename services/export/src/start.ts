import { connectFromConfig, ensureDeadLetters, ensureStream, rpcClient } from '@almanac/bus';
import { serveService } from '@almanac/bus/server';
import { clickHouseFromConfig } from '@almanac/clickhouse';
import { jetStreamStore } from '@almanac/event-store';
import { type ObjectStore, objectStoreFromConfig, watchObjectStore } from '@almanac/object-store';
import { type Runtime, serviceReadSlots } from '@almanac/runtime';
import type { ExportConfig } from './config.js';
import { exportController } from './export.controller.js';
import type { ExportDeps } from './export-deps.js';
import { completeExports } from './exports/complete-exports.reactor.js';
import { downloadLinks } from './exports/download-links.query.js';
import { projectExportList } from './exports/export-list.projector.js';
import { recentExports } from './exports/recent-exports.js';
import { requestFiles } from './exports/request-files.reactor.js';
import { fileMetrics } from './files/metrics.js';
import { prepareFiles } from './files/prepare-files.reactor.js';
import { startSweeps } from './files/sweep-objects.js';

export const startExport = async (config: ExportConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await connectFromConfig(config, runtime);
  const clickhouse = clickHouseFromConfig(config, runtime, {
    application: 'almanac-export',
    requestTimeoutMs: countTimeoutMs,
  });
  const objects = startObjectStore(config, runtime);
  await ensureDeadLetters(bus);
  await ensureStream(bus, 'EVT_EXPORT');
  await ensureStream(bus, 'EVT_FILE');
  const store = jetStreamStore(bus);
  const workers = await prepareFiles({
    bus,
    store,
    log,
    clickhouse,
    objects,
    metrics: fileMetrics(runtime.health.metrics),
    concurrency: config.EXPORT_CONCURRENCY,
    largeFromRows: config.EXPORT_LARGE_ROWS,
    attempts: config.EXPORT_ATTEMPTS,
  });
  onStop('workers', () => workers.stop());
  const completions = await completeExports(bus, store, log);
  onStop('completions', () => completions.stop());
  const files = await requestFiles(bus, store, log);
  onStop('files', () => files.stop());
  const list = await projectExportList(bus, clickhouse, log);
  onStop('list', () => list.stop());
  const recent = await recentExports(bus, log, config.STALE_ANSWERS_MS);
  onStop('recent exports', () => recent.stop());
  const sweeps = startSweeps({
    bus,
    store,
    objects,
    log,
    everyS: config.SWEEP_EVERY_S,
    ageS: config.SWEEP_AGE_S,
    maxAgeDays: config.EXPORT_FILES_MAX_AGE_DAYS,
    unusedDays: config.EXPORT_FILES_UNUSED_DAYS,
    slabDays: config.SLABS_MAX_AGE_DAYS,
  });
  onStop('sweeps', () => sweeps.stop());
  const recordsUses = config.EXPORT_FILES_UNUSED_DAYS > 0;
  const links = downloadLinks({ store, objects, log, ttlS: config.LINK_TTL_S, recordsUses });
  const slots = serviceReadSlots(config, runtime);
  const deps: ExportDeps = { bus, store, objects, rpc: rpcClient(bus), clickhouse, slots, recent, links };
  const calls = await serveService(bus, 'export', exportController(deps), log);
  onStop('calls', () => calls.stop());
};

const countTimeoutMs = 120_000;

const startObjectStore = (config: ExportConfig, runtime: Runtime): ObjectStore => {
  const { health, onStop } = runtime;
  const objects = objectStoreFromConfig(config);
  watchObjectStore(config, runtime);
  onStop('object store', () => objects.close());
  health.checks.set('object_store', () => objects.check().then(() => null));
  return objects;
};
