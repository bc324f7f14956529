import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminBus, connectBus, type RpcClient, rpcClient, natsAccounts } from '@almanac/bus';
import { type ClickHouse, clickHouseRights, connectClickHouse, migrate } from '@almanac/clickhouse';
import { catalogRpc, type CatalogueFact, type Contract, type UserName } from '@almanac/contracts';
import { createHealth, createLogger, type Runtime } from '@almanac/runtime';
import { type TestClickHouse, testClickHouse, testNats, type TestServer } from '@almanac/testing';
import type { z } from 'zod';
import { config } from '../config.js';
import { startCatalog } from '../start.js';

const password = 'test';

/** The catalog service on real servers, for tests. Every user has exactly its rights in production. */
export interface CatalogHarness {
  readonly nats: TestServer;
  /** As the operator, with access to all tables. */
  readonly clickhouse: ClickHouse;
  readonly runtime: Runtime;
  /** Logins of the operator's commands: `catalog` at NATS, and a ClickHouse user that may change the schema. */
  readonly logins: {
    readonly nats: { readonly url: string; readonly password: string };
    readonly clickhouse: { readonly url: string; readonly username: string; readonly password: string };
  };
  connect(user: UserName): Promise<AdminBus>;
  call<In extends z.ZodType, Out extends z.ZodType>(
    user: 'gateway' | 'ingest' | 'export' | 'timeseries',
    to: Contract<In, Out>,
    input: z.input<In>,
  ): Promise<z.output<Out>>;
  /** Records facts and resolves when they can be queried. */
  recorded(...facts: readonly CatalogueFact[]): Promise<z.output<typeof catalogRpc.record.output>>;
  stopClickHouse(): Promise<void>;
  /** Stops the service and starts it again on the same servers. */
  restart(): Promise<void>;
  /** Starts one more process of the service on the same servers. Returns its stop function. */
  another(): Promise<() => Promise<void>>;
  stop(): Promise<void>;
}

/** `NATS_PARTITIONS` runs every test of this service with that many partitions of the catalogue's stream. */
const partitionsOfRun = Number(process.env['NATS_PARTITIONS'] ?? 1);

export const startHarness = async (partitions = partitionsOfRun): Promise<CatalogHarness> => {
  const [nats, database] = await Promise.all([
    testNats({ accounts: natsAccounts(() => password, {}, partitions) }),
    testClickHouse({ users: [{ user: 'catalog', password, tables: clickHouseRights.catalog }] }),
  ]);
  const clickhouse = connectClickHouse(database);
  await migrate(clickhouse);
  const connections: AdminBus[] = [];
  const connect = async (user: UserName): Promise<AdminBus> => {
    const bus = await connectBus({ url: nats.url, user, password, partitions });
    connections.push(bus);
    return bus;
  };
  const clients = new Map<UserName, RpcClient>();
  for (const user of ['gateway', 'ingest', 'export', 'timeseries'] as const)
    clients.set(user, rpcClient(await connect(user)));
  const call: CatalogHarness['call'] = (user, to, input) => {
    const client = clients.get(user);
    if (client === undefined) throw new Error(`no client of ${user}`);
    return client.call(to, { input, context: { requestId: 'test' } });
  };
  const stopClickHouse = once(() => database.stop());
  const folder = await mkdtemp(join(tmpdir(), 'almanac-catalog-'));
  const start = () => startService({ NATS_URL: nats.url, NATS_PARTITIONS: String(partitions) }, database, folder);
  let service = await start();
  return {
    nats,
    clickhouse,
    logins: { nats: { url: nats.url, password }, clickhouse: database },
    get runtime() {
      return service.runtime;
    },
    connect,
    call,
    recorded: async (...facts) => {
      const recorded = await call('ingest', catalogRpc.record, { facts: [...facts] });
      await call('ingest', catalogRpc.awaitReadable, { seq: recorded.last_seq });
      return recorded;
    },
    stopClickHouse,
    restart: async () => {
      await service.stop();
      service = await start();
    },
    another: async () => {
      const { stop } = await start();
      return stop;
    },
    stop: async () => {
      await service.stop();
      await Promise.all(connections.map((bus) => bus.close()));
      await clickhouse.close();
      await Promise.all([nats.stop(), stopClickHouse(), rm(folder, { recursive: true })]);
    },
  };
};

/** Records any number of facts in calls of at most 500. Resolves when they can be queried. */
export const recordInParts = async (harness: CatalogHarness, facts: readonly CatalogueFact[]): Promise<void> => {
  for (let from = 0; from < facts.length; from += 500) await harness.recorded(...facts.slice(from, from + 500));
};

const once = (work: () => Promise<void>): (() => Promise<void>) => {
  let done: Promise<void> | undefined;
  return () => (done ??= work());
};

const startService = async (
  nats: { readonly NATS_URL: string; readonly NATS_PARTITIONS: string },
  database: TestClickHouse,
  folder: string,
) => {
  const stops: (() => Promise<void> | void)[] = [];
  const runtime: Runtime = {
    log: createLogger('catalog', 'warn'),
    health: createHealth(),
    onStop: (_, stop) => void stops.unshift(stop),
  };
  const settings = config.parse({
    ...nats,
    NATS_USER: 'catalog',
    NATS_PASSWORD: password,
    CLICKHOUSE_URL: database.url,
    CLICKHOUSE_CLUSTER: database.cluster,
    CLICKHOUSE_USER: 'catalog',
    CLICKHOUSE_PASSWORD: password,
    CATALOG_FOLDER: folder,
  });
  await startCatalog(settings, runtime);
  runtime.health.serving = true;
  const stop = async (): Promise<void> => {
    for (const end of stops) await end();
  };
  return { runtime, stop };
};
