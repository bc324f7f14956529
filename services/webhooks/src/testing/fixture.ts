import { randomUUID } from 'node:crypto';
import { type Bus, connectBus, ensureStream, natsAccounts, rpcClient, subjects } from '@almanac/bus';
import {
  type ExportState,
  exportState,
  marketState,
  type MarketState,
  type UserName,
  webhooksRpc,
} from '@almanac/contracts';
import { jetStreamStore, recordDataChange } from '@almanac/event-store';
import { createHealth, createLogger, newAccountId, parseConfig, unixMicros } from '@almanac/runtime';
import { testNats, type TestNats } from '@almanac/testing';
import type { z } from 'zod';
import { config } from '../config.js';
import type { Clock } from '../delivery/clock.js';
import { startWebhooks } from '../start.js';

const password = 'test';
export const serviceSecret = 'a secret of at least 32 characters';

/** A real nats-server with the users of production, and any number of instances of this service. */
export interface WebhooksFixture {
  readonly nats: TestNats;
  readonly bus: { readonly gateway: Bus; readonly export: Bus; readonly catalog: Bus };
  /** The environment of a process of the service. */
  readonly environment: Record<string, string>;
  logged(): string;
  start(options?: { clock?: Clock; environment?: Record<string, string> }): Promise<{
    stop(): Promise<void>;
    /** The value of a metric of the service. */
    metric(name: string): Promise<number | undefined>;
  }>;
  stop(): Promise<void>;
}

export const startFixture = async (partitions = 1): Promise<WebhooksFixture> => {
  const nats = await testNats({ accounts: natsAccounts(() => password, {}, partitions) });
  const connect = (user: UserName): Promise<Bus> => connectBus({ url: nats.url, user, password, partitions });
  const [gateway, exporting, catalog] = await Promise.all([connect('gateway'), connect('export'), connect('catalog')]);
  await ensureStream(exporting, 'EVT_EXPORT');
  await ensureStream(catalog, 'EVT_CATALOG');
  await ensureStream(catalog, 'EVT_ARCHIVE');
  const lines: string[] = [];
  const environment = {
    NATS_URL: nats.url,
    NATS_USER: 'webhooks',
    NATS_PASSWORD: password,
    NATS_PARTITIONS: String(partitions),
    WEBHOOK_SECRET: serviceSecret,
    WEBHOOK_ALLOWED_NETWORKS: '127.0.0.0/8',
    WEBHOOK_TIMEOUT_S: '2',
  };
  return {
    nats,
    bus: { gateway, export: exporting, catalog },
    environment,
    logged: () => lines.join(''),
    start: async ({ clock, environment: own = {} } = {}) => {
      const stops: (() => Promise<void> | void)[] = [];
      const stop = async (): Promise<void> => {
        for (const end of stops.splice(0).toReversed()) await end();
      };
      const log = createLogger('webhooks', 'trace', { write: (line) => void lines.push(line) });
      const health = createHealth();
      const onStop = (_: string, end: () => Promise<void> | void) => void stops.push(end);
      try {
        const settings = parseConfig(config, { ...environment, ...own });
        await startWebhooks(settings, { log, health, onStop }, clock);
      } catch (error) {
        await stop();
        throw error;
      }
      const metric = async (name: string): Promise<number | undefined> =>
        (await health.metrics.getSingleMetric(name)?.get())?.values[0]?.value;
      return { stop, metric };
    },
    stop: async () => {
      await Promise.all([gateway, exporting, catalog].map((bus) => bus.close()));
      await nats.stop();
    },
  };
};

/** Calls as the gateway makes them for an account. */
export const callsOf = ({ bus: { gateway } }: WebhooksFixture, account = newAccountId()) => {
  const client = rpcClient(gateway);
  // Longer than a client would wait, because the machine may be busy.
  const given = <Input>(input: Input) => ({ input, context: { requestId: randomUUID(), account, timeoutMs: 30_000 } });
  return {
    account,
    create: (body: z.input<(typeof webhooksRpc)['create']['input']>) => client.call(webhooksRpc.create, given(body)),
    list: () => client.call(webhooksRpc.list, given({})),
    get: (webhook_id: string) => client.call(webhooksRpc.get, given({ webhook_id })),
    remove: (webhook_id: string, request_key?: string) =>
      client.call(webhooksRpc.remove, given({ webhook_id, request_key })),
    rotate: (webhook_id: string, request_key?: string) =>
      client.call(webhooksRpc.rotate, given({ webhook_id, request_key })),
    enable: (webhook_id: string, request_key?: string) =>
      client.call(webhooksRpc.enable, given({ webhook_id, request_key })),
    test: (webhook_id: string, request_key?: string) =>
      client.call(webhooksRpc.test, given({ webhook_id, request_key })),
    deliveries: (webhook_id: string, page: { limit?: number; cursor?: string | null | undefined } = {}) =>
      client.call(webhooksRpc.deliveries, given({ webhook_id, ...page })),
    redeliver: (webhook_id: string, delivery_id: string, request_key?: string) =>
      client.call(webhooksRpc.redeliver, given({ webhook_id, delivery_id, request_key })),
  };
};

type ExportEventType = 'ExportRequested' | 'ExportReady' | 'ExportFailed' | 'ExportCancelled';
const statusOf = {
  ExportRequested: 'pending',
  ExportReady: 'ready',
  ExportFailed: 'failed',
  ExportCancelled: 'cancelled',
} as const;

/** Stores the events of an export, as the export service does. */
export const storeExport = async (
  { bus }: WebhooksFixture,
  account: string,
  { id = randomUUID(), types }: { id?: string; types: readonly ExportEventType[] },
): Promise<string> => {
  const store = jetStreamStore(bus.export);
  const subject = subjects.export(account, id);
  for (const type of types) {
    const before = await store.load(subject, exportState);
    const state: ExportState = exportState.parse({ ...exportFields, id, account, status: statusOf[type] });
    const time = unixMicros();
    await store.append(
      subject,
      { id: randomUUID(), type, version: 1, time, account, data: {}, state },
      before?.seq ?? 0,
    );
  }
  return id;
};

const exportFields = {
  query: {
    event: 'E',
    ticker: null,
    series: null,
    day: null,
    start_us: null,
    end_us: null,
    step_ms: null,
    streams: ['snapshots'],
    format: 'csv',
  },
  grant: 'plan',
  file_key: 'key',
  filename: 'E.csv',
  requested_us: 1,
  ready_us: 2,
  error: 'no rows',
  file: { storage_key: 'k', bytes: 10, row_count: 1, markets: 1, sha256: 'f'.repeat(64) },
};

/** Stores an event of a market, as the catalog service does. */
export const storeMarket = async (
  { bus }: WebhooksFixture,
  fields: Partial<MarketState> & { ticker: string },
): Promise<void> => {
  const store = jetStreamStore(bus.catalog);
  const subject = subjects.market(fields.ticker);
  const before = await store.load(subject, marketState);
  const state = marketState.parse({ ...before?.state, ...fields });
  const time = unixMicros();
  await store.append(
    subject,
    { id: randomUUID(), type: 'MarketRecorded', version: 1, time, account: null, data: fields, state },
    before?.seq ?? 0,
  );
};

export const changeData = ({ bus }: WebhooksFixture, ticker: string): Promise<unknown> =>
  recordDataChange(jetStreamStore(bus.catalog), subjects.archive(ticker), {
    ticker,
    cause: 'observations',
    rows: 1,
    min_us: 1_000_000,
    max_us: 2_000_000,
  });
