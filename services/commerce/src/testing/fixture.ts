import { randomUUID } from 'node:crypto';
import {
  type Bus,
  connectBus,
  ensureStream,
  type EventMessage,
  patterns,
  readSubjects,
  rpcClient,
  type RpcClient,
  subjects,
  natsAccounts,
} from '@almanac/bus';
import {
  type AccountState,
  accountState,
  type CartResponse,
  type CheckoutResponse,
  commerceRpc,
  type Contract,
  eventState,
  type ExportQuery,
  exportState,
  type ExportState,
  type Grant,
  type GrantQuote,
  type PlanId,
  type PortalResponse,
  type SoldPlanId,
  unlockState,
  type UpgradeResponse,
  type UserName,
} from '@almanac/contracts';
import { type EventStore, jetStreamStore } from '@almanac/event-store';
import {
  allMetrics,
  createHealth,
  createLogger,
  type MetricSample,
  newAccountId,
  parseConfig,
  readiness,
  type Readiness,
  readSamples,
  unixMicros,
} from '@almanac/runtime';
import { testNats, type TestNats } from '@almanac/testing';
import type { z } from 'zod';
import { config, type CommerceConfig } from '../config.js';
import { startCommerce } from '../start.js';

const password = 'test';

/** A real nats-server with the production users, and stubs of the neighbouring services. */
export interface CommerceFixture {
  readonly nats: TestNats;
  /** The connection of the export service. */
  readonly exporter: { readonly rpc: RpcClient; readonly store: EventStore };
  readonly gateway: RpcClient;
  readonly operator: RpcClient;
  /** The event store of this service. */
  readonly eventStore: EventStore;
  /** The event store of the keys service. */
  readonly keys: EventStore;
  /** Starts this service in this process, with the time of the system or another one. */
  start(changes?: Partial<CommerceConfig>, nowUs?: () => number): Promise<RunningService>;
  /** Opens a new account unless one is given. */
  openAccount(plan: PlanId, account?: string): Promise<string>;
  reserve(account: string, claim?: Partial<Claim>): Promise<Grant>;
  account(account: string): Promise<AccountState>;
  /** All events of an account and its entities, in order. */
  history(account: string): Promise<EventMessage[]>;
  /** Records an event as the catalogue does. */
  recordEvent(event: string, facts?: { title?: string | null; series?: string | null }): Promise<void>;
  /** Calls of an account, as the gateway sends them. */
  client(account: string): Client;
  isUnlocked(account: string, event: string): Promise<boolean>;
  stop(): Promise<void>;
}

export interface RunningService {
  /** Stops the service as a process end does. */
  stop(): Promise<void>;
  /** The current metrics. */
  samples(): Promise<MetricSample[]>;
  readiness(): Promise<Readiness>;
}

export interface Client {
  cart(): Promise<CartResponse>;
  add(event: string): Promise<CartResponse>;
  remove(event: string): Promise<CartResponse>;
  checkOut(idempotency_key?: string): Promise<CheckoutResponse>;
  upgrade(tier_id: SoldPlanId, idempotency_key?: string): Promise<UpgradeResponse>;
  portal(): Promise<PortalResponse>;
  plan(): Promise<PlanId>;
  quote(claim?: Partial<Omit<Claim, 'export_id'>>): Promise<GrantQuote>;
}

export interface Claim {
  readonly export_id: string;
  readonly events: string[];
  readonly day_pack: boolean;
  readonly l2: boolean;
  readonly parts: { events: string[] }[];
  readonly split: boolean;
}

export const startFixture = async (): Promise<CommerceFixture> => {
  const nats = await testNats({ accounts: natsAccounts(() => password) });
  const connect = (user: UserName): Promise<Bus> => connectBus({ url: nats.url, user, password });
  const [exporter, gateway, keys, operator, catalog, inspector] = await Promise.all(
    (['export', 'gateway', 'keys', 'operator', 'catalog', 'commerce'] as const).map(connect),
  );
  if (!exporter || !gateway || !keys || !operator || !catalog || !inspector) {
    throw new Error('a user could not connect');
  }
  await ensureStream(exporter, 'EVT_EXPORT');
  await ensureStream(keys, 'EVT_KEYS');
  await ensureStream(catalog, 'EVT_CATALOG');
  const exports = { rpc: rpcClient(exporter), store: jetStreamStore(exporter) };
  const eventStore = jetStreamStore(inspector);
  return {
    nats,
    exporter: exports,
    gateway: rpcClient(gateway),
    operator: rpcClient(operator),
    keys: jetStreamStore(keys),
    start: (changes = {}, nowUs) => startService({ ...configOf(nats.url), ...changes }, nowUs),
    openAccount: async (plan, account = newAccountId()) => {
      const context = { requestId: randomUUID() };
      await rpcClient(operator).call(commerceRpc.openAccount, { input: { account, plan }, context });
      return account;
    },
    reserve: async (account, claim = {}) => {
      const input = { export_id: randomUUID(), events: ['EV-T95999.99'], day_pack: false, l2: false, ...claim };
      const context = { requestId: randomUUID(), account };
      return (await exports.rpc.call(commerceRpc.reserve, { input, context })).grant;
    },
    account: async (account) => {
      const loaded = await eventStore.load(subjects.account(account), accountState);
      if (loaded === undefined) throw new Error(`there is no account ${account}`);
      return loaded.state;
    },
    eventStore,
    history: (account) => historyOf(inspector, account),
    recordEvent: async (event, facts = {}) => {
      const state = eventState.parse({ event_ticker: event, ...facts });
      const recorded = {
        id: randomUUID(),
        type: 'EventRecorded',
        version: 1,
        time: 1,
        account: null,
        data: {},
      } as const;
      await jetStreamStore(catalog).append(subjects.event(event), { ...recorded, state }, 0);
    },
    client: (account) => clientOf(rpcClient(gateway), exports.rpc, account),
    isUnlocked: async (account, event) =>
      (await eventStore.load(subjects.unlock(account, event), unlockState))?.state.locked_us === null,
    stop: async () => {
      await Promise.all([exporter, gateway, keys, operator, catalog, inspector].map((bus) => bus.close()));
      await nats.stop();
    },
  };
};

const historyOf = async (bus: Bus, account: string): Promise<EventMessage[]> => {
  const read = async (filter: string) => {
    const onUnreadable = (error: unknown): never => {
      throw error instanceof Error ? error : new Error(String(error));
    };
    const found: EventMessage[] = [];
    for await (const event of readSubjects(bus, { stream: 'EVT_COMMERCE', filter, onUnreadable })) found.push(event);
    return found;
  };
  const both = await Promise.all([read(subjects.account(account)), read(patterns.subjectsOfAccount(account))]);
  return both.flat().toSorted((one, other) => one.seq - other.seq);
};

const clientOf = (rpc: RpcClient, exporter: RpcClient, account: string): Client => {
  const call = <In extends z.ZodType, Out extends z.ZodType>(to: Contract<In, Out>, input: z.input<In>) =>
    rpc.call(to, { input, context: { requestId: randomUUID(), account } });
  return {
    cart: () => call(commerceRpc.cart, {}),
    add: (event) => call(commerceRpc.addToCart, { event }),
    remove: (event_id) => call(commerceRpc.removeFromCart, { event_id }),
    checkOut: (idempotency_key) => call(commerceRpc.checkout, { idempotency_key }),
    upgrade: (tier_id, idempotency_key) => call(commerceRpc.upgrade, { tier_id, idempotency_key }),
    portal: () => call(commerceRpc.portal, {}),
    plan: async () => (await call(commerceRpc.plan, {})).plan.id,
    quote: async (claim = {}) => {
      const input = { events: ['EV-T95999.99'], day_pack: false, l2: false, ...claim };
      return exporter.call(commerceRpc.quote, { input, context: { requestId: randomUUID(), account } });
    },
  };
};

const configOf = (url: string): CommerceConfig =>
  parseConfig(config, { NATS_URL: url, NATS_USER: 'commerce', NATS_PASSWORD: password });

/** A failed start stops what it started, as the process would. */
const startService = async (settings: CommerceConfig, nowUs?: () => number): Promise<RunningService> => {
  const health = createHealth();
  const stops: (() => Promise<void> | void)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  const log = createLogger('commerce', process.env['LOG_LEVEL'] ?? 'silent');
  try {
    const onStop = (_: string, end: () => Promise<void> | void) => void stops.push(end);
    await startCommerce(settings, { log, health, onStop }, nowUs);
  } catch (error) {
    await stop();
    throw error;
  }
  return { stop, samples: () => readSamples(allMetrics(health)), readiness: () => readiness(health) };
};

/**
 * Appends the events of one export as the export service does. Its query names another event than the reservation,
 * which decides.
 */
export const exportOf = (
  { exporter: { store } }: CommerceFixture,
  account: string,
  id: string,
  group?: { id: string; part: number },
) => {
  const subject = subjects.export(account, id);
  const target = { event: 'EV-OF-THE-QUESTION', ticker: null, series: null, day: null };
  const exportQuery: ExportQuery = { ...target, streams: ['snapshots'], format: 'csv', numbers: 'decimal' };
  const request = { query: exportQuery, grant: 'plan', file_key: 'k', filename: 'f.csv', requested_us: 1 } as const;
  const days = { from: '2026-02-25', to: '2026-02-26', others: [] };
  const common = { id, account, ...request, ...(group && { group: { ...group, ...days } }) };
  const append = async (type: string, state: ExportState, after: number): Promise<void> => {
    const event = { id: randomUUID(), type, version: 1, time: 1, account, data: {}, state } as const;
    await store.append(subject, event, after);
  };
  const end = async (type: string, state: ExportState): Promise<void> =>
    append(type, state, (await store.load(subject, exportState))?.seq ?? 0);
  const file = { storage_key: 's', bytes: 1, row_count: 1, markets: 1, sha256: 'h' };
  return {
    /** Appends with an expected sequence of 0, as the export service does. */
    requested: () => append('ExportRequested', { status: 'pending', ...common }, 0),
    ready: (ready_us = unixMicros()) => end('ExportReady', { status: 'ready', ...common, file, ready_us }),
    failed: () => end('ExportFailed', { status: 'failed', ...common, error: 'e' }),
    cancelled: () => end('ExportCancelled', { status: 'cancelled', ...common }),
    status: async () => (await store.load(subject, exportState))?.state.status,
  };
};
