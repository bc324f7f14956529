import { type Bus, connectBus, ensureDeadLetters, ensureStream, rpcClient, serveModule } from '@almanac/bus';
import { type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import { jetStreamStore } from '@almanac/event-store';
import { connectObjectStore, type ObjectStore } from '@almanac/object-store';
import type { Runtime } from '@almanac/runtime';
import type { ExportConfig } from './config.js';
import { ExportModule } from './export.module.js';
import { completeExports } from './exports/complete-exports.reactor.js';
import { downloadLinks } from './exports/download-links.js';
import { wantFiles } from './exports/want-files.reactor.js';
import { prepareFiles } from './files/prepare-files.reactor.js';

export const startExport = async (config: ExportConfig, runtime: Runtime): Promise<void> => {
  const { log, onStop } = runtime;
  const bus = await startBus(config, runtime);
  const clickhouse = startClickHouse(config, runtime);
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
    concurrency: config.EXPORT_CONCURRENCY,
    attempts: config.EXPORT_ATTEMPTS,
  });
  onStop('workers', () => workers.stop());
  const completions = await completeExports(bus, store, log);
  onStop('completions', () => completions.stop());
  const files = await wantFiles(bus, store, log);
  onStop('files', () => files.stop());
  const module = ExportModule.with({
    create: { bus, store, rpc: rpcClient(bus) },
    links: downloadLinks({ store, objects, ttlS: config.LINK_TTL_S }),
  });
  const calls = await serveModule(bus, module, log);
  onStop('calls', () => calls.stop());
};

const startBus = async (config: ExportConfig, { health, onStop }: Runtime): Promise<Bus> => {
  const bus = await connectBus({
    url: config.NATS_URL,
    user: config.NATS_USER,
    ...(config.NATS_PASSWORD === undefined ? {} : { password: config.NATS_PASSWORD }),
    replicas: config.NATS_REPLICAS,
  });
  onStop('bus', () => bus.close());
  health.checks.set('nats', () => (bus.nc.isClosed() ? 'the connection is closed' : bus.nc.rtt().then(() => null)));
  return bus;
};

const countTimeoutMs = 120_000;

const startClickHouse = (config: ExportConfig, { health, onStop }: Runtime): ClickHouse => {
  const clickhouse = connectClickHouse({
    url: config.CLICKHOUSE_URL,
    username: config.CLICKHOUSE_USER,
    password: config.CLICKHOUSE_PASSWORD,
    database: config.CLICKHOUSE_DATABASE,
    requestTimeoutMs: countTimeoutMs,
    application: 'almanac-export',
  });
  onStop('clickhouse', () => clickhouse.close());
  health.checks.set('clickhouse', () => clickhouse.ping().then(() => null));
  return clickhouse;
};

const startObjectStore = (config: ExportConfig, { health, onStop }: Runtime): ObjectStore => {
  const objects = connectObjectStore({
    endpoint: config.S3_ENDPOINT,
    ...(config.S3_PUBLIC_URL === undefined ? {} : { publicUrl: config.S3_PUBLIC_URL }),
    region: config.S3_REGION,
    bucket: config.S3_BUCKET,
    accessKeyId: config.S3_ACCESS_KEY_ID,
    secretAccessKey: config.S3_SECRET_ACCESS_KEY,
  });
  onStop('object store', () => objects.close());
  // Whether the object exists does not matter: an answer of either kind needs the bucket and our key.
  health.checks.set('object_store', () => objects.head('health').then(() => null));
  return objects;
};
