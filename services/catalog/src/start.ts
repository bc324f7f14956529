import { connectBus, ensureDeadLetters, ensureStream, patterns, serveModule } from '@almanac/bus';
import { connectClickHouse } from '@almanac/clickhouse';
import { marketState, seriesState } from '@almanac/contracts';
import { followStates, jetStreamStore, stateCache } from '@almanac/event-store';
import type { Runtime } from '@almanac/runtime';
import { CatalogModule } from './catalog.module.js';
import type { CatalogConfig } from './config.js';
import { factRecorder } from './record/record-facts.js';
import { keepCatalogueTables } from './tables/catalogue.reactor.js';

/** Starts the catalog on a schema that is there already: the tables are made by the operator's migrations. */
export const startCatalog = async (config: CatalogConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const { bus, clickhouse } = await connectAll(config, runtime);
  await ensureStream(bus, 'EVT_CATALOG');
  await ensureStream(bus, 'EVT_ARCHIVE');
  await ensureDeadLetters(bus);
  const store = jetStreamStore(bus);
  const onUnreadable = (error: unknown, { subject, seq }: { subject: string; seq: number }) =>
    log.error({ err: error, subject, seq }, 'an event of the catalogue cannot be read');
  const series = await followStates(bus, {
    stream: 'EVT_CATALOG',
    filter: patterns.allSeries,
    state: seriesState,
    onUnreadable,
  });
  onStop('series', () => series.stop());
  const markets = await stateCache(bus, {
    stream: 'EVT_CATALOG',
    filter: patterns.allMarkets,
    state: marketState,
    max: config.CATALOG_MARKETS_KEPT,
    ask: 'leader',
    onUnreadable,
  });
  onStop('markets', () => markets.stop());
  const tables = await keepCatalogueTables({ bus, clickhouse, store, log });
  onStop('tables', () => tables.stop());
  const module = CatalogModule.with({
    bus,
    store,
    markets,
    sources: { clickhouse, series: series.states },
    record: factRecorder({ store, series: series.states }),
  });
  const calls = await serveModule(bus, module, log);
  onStop('calls', () => calls.stop());
};

const connectAll = async (config: CatalogConfig, { health, onStop }: Runtime) => {
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
    application: 'almanac-catalog',
  });
  onStop('clickhouse', () => clickhouse.close());
  health.checks.set('nats', () => (bus.nc.isClosed() ? 'the connection is closed' : bus.nc.rtt().then(() => null)));
  health.checks.set('clickhouse', () => clickhouse.ping().then(() => null));
  return { bus, clickhouse };
};
