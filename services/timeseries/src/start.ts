import { setTimeout as delay } from 'node:timers/promises';
import { type Bus, connectBus, ensureStream, patterns, serveModule } from '@almanac/bus';
import { type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import { archiveState, marketState, seriesState, type StreamName } from '@almanac/contracts';
import { followStates, jetStreamStore, stateCache } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import { Counter } from 'prom-client';
import type { TimeseriesConfig } from './config.js';
import type { KnownStates } from './known-market.js';
import { previewCache } from './preview/preview-cache.js';
import { prepareMsMax, type Previews, previews } from './preview/preview.read-model.js';
import { connectRedis } from './preview/redis.js';
import { type ArchiveRows, archiveRows } from './snapshots/archive-rows.js';
import { unlocksAt } from './snapshots/book-access.js';
import { readSlots } from './snapshots/read-slots.js';
import { TimeseriesModule } from './timeseries.module.js';

/** Starts the service on a schema that is there already: the tables are made by the operator's migrations. */
export const startTimeseries = async (config: TimeseriesConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const { bus, clickhouse } = await connectAll(config, runtime);
  await ensureStream(bus, 'EVT_ARCHIVE');
  await streamExists(bus, 'EVT_CATALOG', config.CATALOGUE_WAIT_S * 1_000);
  const states = await knownStates(bus, config, runtime);
  const rows = archiveRows(clickhouse, readSlots(config.READS_AT_ONCE));
  const ready = makePreviews(config, runtime, { states, rows });
  const calls = await serveModule(
    bus,
    TimeseriesModule.with({
      storing: { clickhouse, store: jetStreamStore(bus) },
      snapshots: { states, rows, plans: config.PLAN_TERMS, isUnlocked: unlocksAt(bus) },
      previews: ready,
    }),
    log,
  );
  onStop('previews', () => ready.settled());
  onStop('calls', () => calls.stop());
};

const connectAll = async (
  config: TimeseriesConfig,
  { health, onStop }: Runtime,
): Promise<{ bus: Bus; clickhouse: ClickHouse }> => {
  const bus = await connectBus({
    url: config.NATS_URL,
    user: config.NATS_USER,
    ...(config.NATS_PASSWORD === undefined ? {} : { password: config.NATS_PASSWORD }),
    replicas: config.NATS_REPLICAS,
  });
  onStop('bus', () => bus.close());
  const clickhouse = connectClickHouse({
    url: config.CLICKHOUSE_URL,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    database: config.CLICKHOUSE_DATABASE,
    application: 'almanac-timeseries',
  });
  onStop('clickhouse', () => clickhouse.close());
  health.checks.set('nats', () => (bus.nc.isClosed() ? 'the connection is closed' : bus.nc.rtt().then(() => null)));
  health.checks.set('clickhouse', () => clickhouse.ping().then(() => null));
  return { bus, clickhouse };
};

const streamNotFound = 10059;

/** The stream is another service's to make, and both may start at the same moment. */
const streamExists = async (bus: Bus, stream: StreamName, waitMs: number): Promise<void> => {
  const deadline = performance.now() + waitMs;
  for (;;) {
    try {
      await bus.jsm.streams.info(stream);
      return;
    } catch (error) {
      const missing = error instanceof Error && 'code' in error && error.code === streamNotFound;
      if (!missing || performance.now() > deadline) throw error;
      await delay(200 * (0.5 + Math.random()));
    }
  }
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

const makePreviews = (
  config: TimeseriesConfig,
  runtime: Runtime,
  { states, rows }: { states: KnownStates; rows: ArchiveRows },
): Previews => {
  const { log, health, onStop } = runtime;
  const redis = connectRedis({ url: config.REDIS_URL, runtime });
  onStop('redis', () => redis.disconnect());
  const prepared = new Counter({
    name: 'almanac_previews_prepared_total',
    help: 'previews made from stored rows',
    registers: [health.metrics],
  });
  const cache = previewCache({
    redis,
    log,
    kept: config.PREVIEWS_KEPT,
    ttlS: config.PREVIEW_TTL_S,
    lockMs: prepareMsMax + 5_000,
  });
  return previews({ states, rows, cache, log, onPrepared: () => prepared.inc() });
};
