import { randomUUID } from 'node:crypto';
import { type AdminBus, connectBus, ensureStream, type Running, subjects, userNames, natsAccounts } from '@almanac/bus';
import { Rpc, serveControllers } from '@almanac/bus/server';
import { type ClickHouse, clickHouseRights, connectClickHouse, insertBytes, migrate } from '@almanac/clickhouse';
import { catalogRpc, commerceRpc, type DomainError, type Grant, type GrantQuote, notFound } from '@almanac/contracts';
import { type EventStore, jetStreamStore, recordDataChange } from '@almanac/event-store';
import { connectObjectStore, type ObjectStore } from '@almanac/object-store';
import { createHealth, createLogger, type Logger, type Runtime } from '@almanac/runtime';
import {
  type Killable,
  killableClickHouse,
  killableS3,
  testClickHouse,
  type TestClickHouse,
  type TestClickHouseOptions,
  testNats,
  testS3,
  type TestS3,
} from '@almanac/testing';
import { Controller } from '@nestjs/common';
import type { z } from 'zod';
import { Registry } from 'prom-client';
import type { ExportConfig } from '../config.js';
import { fileMetrics } from '../files/metrics.js';

export const log: Logger = createLogger('export', process.env['LOG_LEVEL'] ?? 'silent');

/** Metrics for workers that a test starts itself. */
export const metrics = fileMetrics(new Registry());

/** The servers of every export test, with the users and permissions of production. */
export interface ExportFixture {
  /** May change the schema and insert. */
  readonly operator: ClickHouse;
  /** The export service's own user. */
  readonly clickhouse: ClickHouse;
  readonly objects: ObjectStore;
  readonly environment: Readonly<Record<string, string>>;
  readonly config: ExportConfig;
  /** Process id of nats-server. */
  readonly natsPid: number;
  busOf(user: (typeof userNames)[number]): Promise<AdminBus>;
  /** A connection that may read everything. */
  inspect(): Promise<AdminBus>;
  stop(): Promise<void>;
}

/** A fixture whose stores a test can kill. */
export interface KillableStoresFixture extends ExportFixture {
  readonly s3: TestS3 & Killable;
  readonly server: TestClickHouse & Killable;
}

export const startFixture = ({ sharded }: Pick<TestClickHouseOptions, 'sharded'> = {}): Promise<ExportFixture> =>
  startFixtureWith((options) => testClickHouse({ ...options, ...(sharded === undefined ? {} : { sharded }) }), testS3);

export const startKillableStoresFixture = (): Promise<KillableStoresFixture> =>
  startFixtureWith(killableClickHouse, killableS3);

export const startFixtureWith = async <C extends TestClickHouse, S extends TestS3>(
  startClickHouse: (options: Parameters<typeof testClickHouse>[0]) => Promise<C>,
  startS3: (options: Parameters<typeof testS3>[0]) => Promise<S>,
): Promise<ExportFixture & { s3: S; server: C }> => {
  const passwords = Object.fromEntries(userNames.map((user) => [user, randomUUID()]));
  const own = { user: 'export', password: randomUUID() };
  const key = { accessKeyId: 'export', secretAccessKey: randomUUID() };
  const [nats, server, s3] = await Promise.all([
    testNats({
      accounts: natsAccounts((user) => passwords[user] ?? '', { inspector: 'inspector' }),
    }),
    startClickHouse({ users: [{ ...own, tables: clickHouseRights.export }] }),
    startS3({ users: [key] }),
  ]);
  const { url, cluster } = server;
  const operator = connectClickHouse({ url, cluster, username: server.username, password: server.password });
  await migrate(operator);
  const clickhouse = connectClickHouse({ url, cluster, username: own.user, password: own.password });
  const store = { endpoint: s3.url, region: 'us-east-1', bucket: s3.bucket };
  const root = connectObjectStore({ ...store, ...s3 });
  await root.ensureBucket({ all: key.accessKeyId });
  root.close();
  const objects = connectObjectStore({ ...store, ...key });
  const environment = {
    NATS_URL: nats.url,
    NATS_USER: 'export',
    NATS_PASSWORD: passwords['export'] ?? '',
    CLICKHOUSE_URL: url,
    CLICKHOUSE_CLUSTER: cluster ?? '',
    CLICKHOUSE_USER: own.user,
    CLICKHOUSE_PASSWORD: own.password,
    S3_ENDPOINT: s3.url,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: key.accessKeyId,
    S3_SECRET_ACCESS_KEY: key.secretAccessKey,
    LOG_LEVEL: 'silent',
  };
  return {
    s3,
    server,
    operator,
    clickhouse,
    objects,
    environment,
    config: configOf(environment),
    natsPid: nats.pid,
    busOf: (user) => connectBus({ url: nats.url, user, password: passwords[user] ?? '' }),
    inspect: () => connectBus({ url: nats.url, user: 'inspector', password: 'inspector' }),
    stop: async () => {
      await Promise.all([operator.close(), clickhouse.close()]);
      objects.close();
      await Promise.all([nats.stop(), server.stop(), s3.stop()]);
    },
  };
};

type Environment = Record<
  | 'NATS_URL'
  | 'NATS_USER'
  | 'NATS_PASSWORD'
  | 'CLICKHOUSE_URL'
  | 'CLICKHOUSE_CLUSTER'
  | 'CLICKHOUSE_USER'
  | 'CLICKHOUSE_PASSWORD'
  | 'S3_ENDPOINT'
  | 'S3_BUCKET'
  | 'S3_ACCESS_KEY_ID'
  | 'S3_SECRET_ACCESS_KEY',
  string
>;

const configOf = (environment: Environment): ExportConfig => ({
  ...environment,
  CLICKHOUSE_DATABASE: 'default',
  CLICKHOUSE_CLUSTER: environment.CLICKHOUSE_CLUSTER || undefined,
  NATS_REPLICAS: 1,
  NATS_PARTITIONS: 1,
  HEALTH_HOST: '127.0.0.1',
  HEALTH_PORT: 0,
  LOG_LEVEL: 'silent',
  OTEL_TRACES_SAMPLER: 'always_off',
  OTEL_TRACES_SAMPLER_ARG: 0,
  S3_REGION: 'us-east-1',
  EXPORT_CONCURRENCY: 2,
  EXPORT_LARGE_ROWS: 500_000,
  EXPORT_ATTEMPTS: 10,
  SWEEP_EVERY_S: 3_600,
  SWEEP_AGE_S: 86_400,
  EXPORT_FILES_MAX_AGE_DAYS: 0,
  EXPORT_FILES_UNUSED_DAYS: 0,
  SLABS_MAX_AGE_DAYS: 30,
  LINK_TTL_S: 900,
});

/** A runtime whose shutdown steps the test runs itself, the last registered first. */
export const testRuntime = (): { runtime: Runtime; stop: () => Promise<void> } => {
  const stops: (() => Promise<void> | void)[] = [];
  const runtime = {
    log,
    health: createHealth(),
    onStop: (_: string, stop: () => Promise<void> | void) => void stops.push(stop),
  };
  return {
    runtime,
    stop: async () => {
      for (const stop of stops.splice(0).toReversed()) await stop();
    },
  };
};

export type ReserveInput = z.output<typeof commerceRpc.reserve.input>;

type Target = z.input<typeof catalogRpc.exportTarget.output>;

/** Stubs of the neighbouring services on the bus. Tests set their data. */
export interface ServiceStubs {
  readonly targets: Map<string, Target>;
  readonly claims: ReserveInput[];
  /** When set, the next reservations fail with it. */
  refusal: DomainError | undefined;
  /** When set, makes the reservations. */
  reserve: ((input: ReserveInput) => Promise<{ grant: Grant }>) | undefined;
  /** The grant that a quote returns. */
  quote: GrantQuote;
  /** Stores data versions. */
  readonly store: EventStore;
  changed(ticker: string): Promise<void>;
  stop(): Promise<void>;
}

export const startServiceStubs = async (fixture: ExportFixture): Promise<ServiceStubs> => {
  const [catalog, commerce] = await Promise.all([fixture.busOf('catalog'), fixture.busOf('commerce')]);
  await ensureStream(catalog, 'EVT_CATALOG');
  await ensureStream(catalog, 'EVT_ARCHIVE');
  const store = jetStreamStore(catalog);
  const stubs: ServiceStubs = {
    targets: new Map(),
    claims: [],
    refusal: undefined,
    reserve: undefined,
    quote: { grant: 'plan', cost: { amount: 0, currency: 'USD' }, refusal: null, remarks: [], parts: [] },
    store,
    changed: async (ticker) => {
      const change = { ticker, cause: 'observations', rows: 1, min_us: 1, max_us: 1 } as const;
      await recordDataChange(store, subjects.archive(ticker), change);
    },
    stop: async () => {
      for (const running of serving) await running.stop();
      await Promise.all([catalog.close(), commerce.close()]);
    },
  };

  @Controller()
  class CatalogController {
    @Rpc(catalogRpc.exportTarget)
    exportTarget(input: z.output<typeof catalogRpc.exportTarget.input>): Target {
      const { event, ticker, events, tickers, series, day, from, to, as_of } = input;
      const list = (events ?? tickers)?.join();
      const target = stubs.targets.get(event ?? ticker ?? list ?? `${series} ${day ?? `${from} ${to}`}`);
      if (target === undefined) throw notFound('event_not_found', input.event ?? '');
      return as_of === undefined ? target : { ...target, as_of };
    }
  }
  @Controller()
  class CommerceController {
    @Rpc(commerceRpc.reserve)
    async reserve(input: ReserveInput): Promise<{ grant: Grant }> {
      if (stubs.refusal !== undefined) throw stubs.refusal;
      stubs.claims.push(input);
      return stubs.reserve === undefined ? { grant: 'plan' } : stubs.reserve(input);
    }
    @Rpc(commerceRpc.quote)
    quote(): GrantQuote {
      return stubs.quote;
    }
  }
  const serving: Running[] = [
    await serveControllers(catalog, { controllers: [CatalogController] }, log),
    await serveControllers(commerce, { controllers: [CommerceController] }, log),
  ];
  return stubs;
};

export interface MarketRow {
  readonly ticker: string;
  readonly event_ticker: string;
  readonly series: string;
  readonly [column: string]: unknown;
}

export const storeMarkets = (fixture: ExportFixture, markets: readonly MarketRow[]): Promise<void> =>
  storeIn('markets', fixture, markets);

export const storeObservations = (fixture: ExportFixture, rows: readonly Record<string, unknown>[]): Promise<void> =>
  storeIn('snapshots', fixture, rows);

export const storeTrades = (fixture: ExportFixture, trades: readonly Record<string, unknown>[]): Promise<void> =>
  storeIn('trades', fixture, trades);

export const storeSpans = (fixture: ExportFixture, spans: readonly Record<string, unknown>[]): Promise<void> =>
  storeIn('recorded_spans', fixture, spans);

const storeIn = async (
  table: string,
  { operator }: ExportFixture,
  rows: readonly Record<string, unknown>[],
): Promise<void> => {
  const columns = [...new Set(rows.flatMap((row) => Object.keys(row)))];
  const body = Buffer.from(rows.map((row) => JSON.stringify(row)).join('\n'));
  await insertBytes(operator, { table, columns, format: 'JSONEachRow', body });
};
