import { randomUUID } from 'node:crypto';
import { type AdminBus, connectBus, natsAccounts } from '@almanac/bus';
import { userNames } from '@almanac/contracts';
import { createHealth, createLogger, type Logger, parseConfig, type Runtime } from '@almanac/runtime';
import {
  type Killable,
  killableClickHouse,
  killableS3,
  testClickHouse,
  type TestClickHouse,
  testNats,
  testS3,
  type TestS3,
} from '@almanac/testing';
import { Registry } from 'prom-client';
import { config, type ExportConfig } from '../config.js';
import { fileMetrics } from '../files/metrics.js';
import { type Archive, startArchiveOn } from './archive.js';
import { startStoreOn, type StoreFixture } from './store.js';

export const log: Logger = createLogger('export', process.env['LOG_LEVEL'] ?? 'silent');

/** Metrics for workers that a test starts itself. */
export const metrics = fileMetrics(new Registry());

/** The archive and the other servers of the service, with the users and permissions of production. */
export interface ExportFixture<Server extends TestClickHouse = TestClickHouse, Store extends TestS3 = TestS3>
  extends Archive<Server>, Pick<StoreFixture<Store>, 's3' | 'objects'> {
  readonly config: ExportConfig;
  /** The environment of a process of the service. */
  readonly environment: Archive['environment'] & Readonly<Record<string, string>>;
  /** Process id of nats-server. */
  readonly natsPid: number;
  busOf(user: (typeof userNames)[number]): Promise<AdminBus>;
  /** A connection that may read everything. */
  inspect(): Promise<AdminBus>;
}

/** A fixture whose stores a test can kill. */
export type KillableStoresFixture = ExportFixture<TestClickHouse & Killable, TestS3 & Killable>;

export const startFixture = (): Promise<ExportFixture> => startFixtureWith(testClickHouse, testS3);

export const startKillableStoresFixture = (): Promise<KillableStoresFixture> =>
  startFixtureWith(killableClickHouse, killableS3);

export const startFixtureWith = async <Server extends TestClickHouse, Store extends TestS3>(
  startClickHouse: (options: Parameters<typeof testClickHouse>[0]) => Promise<Server>,
  startS3: (options: Parameters<typeof testS3>[0]) => Promise<Store>,
): Promise<ExportFixture<Server, Store>> => {
  const passwords = Object.fromEntries(userNames.map((user) => [user, randomUUID()]));
  const [nats, archive, store] = await Promise.all([
    testNats({ accounts: natsAccounts((user) => passwords[user] ?? '', { inspector: 'inspector' }) }),
    startArchiveOn(startClickHouse),
    startStoreOn(startS3),
  ]);
  const environment = {
    NATS_URL: nats.url,
    NATS_USER: 'export',
    NATS_PASSWORD: passwords['export'] ?? '',
    ...archive.environment,
    ...store.environment,
    LOG_LEVEL: 'silent',
  };
  return {
    ...archive,
    ...store,
    environment,
    config: parseConfig(config, environment),
    natsPid: nats.pid,
    busOf: (user) => connectBus({ url: nats.url, user, password: passwords[user] ?? '' }),
    inspect: () => connectBus({ url: nats.url, user: 'inspector', password: 'inspector' }),
    stop: async () => {
      await Promise.all([nats.stop(), archive.stop(), store.stop()]);
    },
  };
};

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
