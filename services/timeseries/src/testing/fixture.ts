import { randomUUID } from 'node:crypto';
import {
  type Bus,
  bytesOf,
  connectBus,
  ensureStream,
  type RpcClient,
  rpcClient,
  subjects,
  natsAccounts,
} from '@almanac/bus';
import { type ClickHouse, clickHouseRights, connectClickHouse, migrate } from '@almanac/clickhouse';
import {
  type CallContext,
  type Contract,
  marketState,
  type ReplyMeta,
  seriesState,
  timeseriesRpc,
  unlockState,
  type UserName,
  userNames,
} from '@almanac/contracts';
import { jetStreamStore, recordDataChange } from '@almanac/event-store';
import { redisRulesOf } from '@almanac/redis';
import { createHealth, createLogger, parseConfig, type Runtime, unixMicros } from '@almanac/runtime';
import { testClickHouse, type TestClickHouse, type TestClickHouseOptions, testNats, testRedis } from '@almanac/testing';
import { z } from 'zod';
import { config, type TimeseriesConfig } from '../config.js';
import { startTimeseries } from '../start.js';

/** Real servers for tests of the service, with the users and permissions of production. */
export interface TimeseriesFixture {
  readonly operator: ClickHouse;
  readonly config: TimeseriesConfig;
  busOf(user: UserName): Promise<Bus>;
  /** Records a market as the catalog does. Fields that are not given are unknown. */
  market(state: z.input<typeof marketState>): Promise<void>;
  series(state: z.input<typeof seriesState>): Promise<void>;
  unlock(account: string, event: string): Promise<void>;
  stopRedis(): Promise<void>;
  stop(): Promise<void>;
}

export interface FixtureOptions extends Pick<TestClickHouseOptions, 'sharded'> {
  /** Default: `testClickHouse`. */
  readonly startClickHouse?: (options: TestClickHouseOptions) => Promise<TestClickHouse>;
  /** False for a stand-in without tables. */
  readonly hasTables?: boolean;
}

export const startFixture = async ({
  startClickHouse = testClickHouse,
  hasTables = true,
  ...options
}: FixtureOptions = {}): Promise<TimeseriesFixture> => {
  const passwords = Object.fromEntries(userNames.map((user) => [user, randomUUID()]));
  const writer = { user: 'timeseries', password: randomUUID() };
  const [nats, server, redis] = await Promise.all([
    testNats({ accounts: natsAccounts((user) => passwords[user] ?? '') }),
    startClickHouse({ ...options, hasTables, users: [{ ...writer, tables: clickHouseRights.timeseries }] }),
    testRedis({ users: [{ ...writer, rules: redisRulesOf('timeseries') }] }),
  ]);
  const { url, cluster, username, password } = server;
  const operator = connectClickHouse({ url, cluster, username, password });
  if (hasTables) await migrate(operator);
  const busOf = (user: UserName): Promise<Bus> => connectBus({ url: nats.url, user, password: passwords[user] ?? '' });
  const [catalog, commerce] = await Promise.all([busOf('catalog'), busOf('commerce')]);
  await ensureStream(catalog, 'EVT_CATALOG');
  await ensureStream(commerce, 'EVT_COMMERCE');
  return {
    operator,
    busOf,
    config: parseConfig(config, {
      NATS_URL: nats.url,
      NATS_USER: 'timeseries',
      NATS_PASSWORD: passwords['timeseries'] ?? '',
      CLICKHOUSE_URL: url,
      CLICKHOUSE_CLUSTER: cluster,
      CLICKHOUSE_USER: writer.user,
      CLICKHOUSE_PASSWORD: writer.password,
      REDIS_URL: redis.address,
      REDIS_USER: writer.user,
      REDIS_PASSWORD: writer.password,
      LOG_LEVEL: 'silent',
    }),
    ...stubsOf(catalog, commerce),
    stopRedis: () => redis.stop(),
    stop: async () => {
      await Promise.all([catalog.close(), commerce.close(), operator.close()]);
      await Promise.all([nats.stop(), server.stop(), redis.stop()]);
    },
  };
};

const record = async (bus: Bus, subject: string, recordedEvent: { type: string; state: unknown }): Promise<void> => {
  const store = jetStreamStore(bus);
  const seq = (await store.load(subject, z.unknown()))?.seq ?? 0;
  const event = { id: randomUUID(), version: 1, time: unixMicros(), account: null, data: {} } as const;
  await store.append(subject, { ...event, ...recordedEvent }, seq);
};

/** Stubs of the neighbouring services, which append events. */
const stubsOf = (catalog: Bus, commerce: Bus): Pick<TimeseriesFixture, 'market' | 'series' | 'unlock'> => ({
  market: async (state) => {
    const fullState = marketState.parse(state);
    const { ticker } = fullState;
    await record(catalog, subjects.market(ticker), { type: 'MarketRecorded', state: fullState });
    const change = { ticker, cause: 'catalogue', rows: 0, min_us: null, max_us: null } as const;
    await recordDataChange(jetStreamStore(catalog), subjects.archive(ticker), change);
  },
  series: (state) =>
    record(catalog, subjects.series(state.id), { type: 'SeriesRecorded', state: seriesState.parse(state) }),
  unlock: (account, event) =>
    record(commerce, subjects.unlock(account, event), {
      type: 'EventUnlocked',
      state: unlockState.parse({ account, event, by: 'purchase' }),
    }),
});

export interface RunningService {
  readonly runtime: Runtime;
  /** The number of previews that this process prepared. */
  prepared(): Promise<number>;
  stop(): Promise<void>;
}

/** One process of the service, within this one. Its shutdown steps run in reverse order. */
export const startService = async (
  fixture: TimeseriesFixture,
  changes: Partial<TimeseriesConfig> = {},
): Promise<RunningService> => {
  const stops: (() => Promise<void> | void)[] = [];
  const runtime: Runtime = {
    log: createLogger('timeseries', process.env['LOG_LEVEL'] ?? 'silent'),
    health: createHealth(),
    onStop: (_, stop) => void stops.push(stop),
  };
  await startTimeseries({ ...fixture.config, ...changes }, runtime);
  return {
    runtime,
    prepared: async () => {
      const metric = await runtime.health.metrics.getSingleMetric('almanac_previews_prepared_total')?.get();
      return metric?.values[0]?.value ?? 0;
    },
    stop: async () => {
      for (const stop of stops.splice(0).toReversed()) await stop();
    },
  };
};

export interface Observation {
  readonly us: number;
  readonly venueUs?: number | null;
  readonly seq?: number | null;
  readonly bid?: string | null;
  readonly ask?: string | null;
  readonly price?: string | null;
  /** Both sides as ClickHouse writes them, `[(0.5,10),(0.49,2.5)]`. Null means no book. */
  readonly book?: { readonly yes: string; readonly no: string } | null;
  /** The sizes at the best bid and ask that the source stated. Of rows without books only. */
  readonly sizes?: readonly [bid: string | null, ask: string | null];
}

const secondsText = (us: number): string => `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`;
const cell = (value: string | number | null | undefined): string =>
  value === null || value === undefined ? '\\N' : `${value}`;

type Columns = 'top' | 'top_sizes' | 'l2';

const line = (ticker: string, row: Observation, columns: Columns): string => {
  const venue = row.venueUs === null || row.venueUs === undefined ? null : secondsText(row.venueUs);
  const cells = [ticker, 'S', secondsText(row.us), venue, row.seq, row.bid, row.ask, row.price].map(cell);
  const book = row.book ?? null;
  const further = {
    top: [],
    top_sizes: (row.sizes ?? [null, null]).map(cell),
    l2: [book === null ? '0' : '1', book?.yes ?? '[]', book?.no ?? '[]', '\\N'],
  };
  return [...cells, ...further[columns]].join('\t');
};

const columnsOf = (rows: readonly Observation[]): Columns => {
  if (rows.some(({ book }) => book !== undefined)) return 'l2';
  return rows.some(({ sizes }) => sizes !== undefined) ? 'top_sizes' : 'top';
};

/** The calls of the neighbouring services: queries of the gateway and batches of the importer. */
export interface Callers {
  store(ticker: string, rows: readonly Observation[]): Promise<void>;
  rpc: RpcClient;
  importer: RpcClient;
  /** Stores recorded spans of layer `layer`, in microseconds. `sampleUs` is the interval of their books. */
  spans(
    ticker: string,
    spans: readonly (readonly [number, number])[],
    layer?: 'top' | 'l2',
    sampleUs?: number | null,
  ): Promise<void>;
  /** Any other read. `body` is the JSON form, unparsed in the other forms. */
  read<In extends z.ZodType, Out extends z.ZodType>(
    to: Contract<In, Out>,
    input: z.input<In>,
    context?: Partial<CallContext>,
  ): Promise<{ body: z.output<Out>; meta: ReplyMeta }>;
  bytes<In extends z.ZodType>(to: Contract<In>, input: z.input<In>): Promise<{ bytes: Buffer; meta: ReplyMeta }>;
  snapshots(
    input: z.input<typeof timeseriesRpc.snapshots.input>,
    context?: Partial<CallContext>,
  ): Promise<{ body: z.output<typeof timeseriesRpc.snapshots.output>; meta: ReplyMeta; text: string }>;
  preview(
    ticker: string,
    context?: Partial<CallContext>,
  ): Promise<{ body: z.output<typeof timeseriesRpc.preview.output>; meta: ReplyMeta }>;
}

export const callersOf = (gateway: Bus, ingest: Bus): Callers => {
  const rpc = rpcClient(gateway);
  const importer = rpcClient(ingest);
  const context = { requestId: 'test', account: 'a1', plan: 'free' };
  return {
    rpc,
    importer,
    store: async (ticker, rows) => {
      const columns = columnsOf(rows);
      const times = rows.map(({ us }) => us);
      const market = { ticker, rows: rows.length, min_us: Math.min(...times), max_us: Math.max(...times) };
      const body = Buffer.from(rows.map((row) => `${line(ticker, row, columns)}\n`).join(''));
      await importer.call(timeseriesRpc.store, { input: { columns, markets: [market] }, context, body });
    },
    spans: async (ticker, spans, layer = 'l2', sampleUs = null) => {
      const shared = { ticker, layer, sample_us: sampleUs, end_reason: 'lost' };
      const spansOf = spans.map(([start_us, end_us]) => ({ ...shared, start_us, end_us }));
      await importer.call(timeseriesRpc.store, { input: { markets: [], spans: spansOf }, context });
    },
    read: async (to, input, more = {}) => {
      const reply = await rpc.forward(to, { input, context: { ...context, ...more } });
      return { body: to.output.parse(JSON.parse((await bytesOf(reply)).toString())), meta: reply.meta };
    },
    bytes: async (to, input) => {
      const reply = await rpc.forward(to, { input, context });
      return { bytes: Buffer.from(await bytesOf(reply)), meta: reply.meta };
    },
    snapshots: async (input, more = {}) => {
      const reply = await rpc.forward(timeseriesRpc.snapshots, { input, context: { ...context, ...more } });
      const text = (await bytesOf(reply)).toString();
      return { body: timeseriesRpc.snapshots.output.parse(JSON.parse(text)), meta: reply.meta, text };
    },
    preview: async (ticker, more = {}) => {
      const reply = await rpc.forward(timeseriesRpc.preview, { input: { ticker }, context: { ...context, ...more } });
      const text = (await bytesOf(reply)).toString();
      return { body: timeseriesRpc.preview.output.parse(JSON.parse(text)), meta: reply.meta };
    },
  };
};
