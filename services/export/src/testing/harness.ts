import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type AdminBus, ensureDeadLetters, ensureStream, rpcClient, subjects } from '@almanac/bus';
import { command } from '@almanac/clickhouse';
import {
  type DatasetResponse,
  DomainError,
  type ErrorCode,
  exportGroup,
  type ExportGroup,
  type ExportListResponse,
  type ExportQuote,
  exportResponse,
  exportRpc,
  type ExportResponse,
  exportState,
  type ExportState,
  fileState,
  type FileState,
  type StreamName,
} from '@almanac/contracts';
import { type EventStore, jetStreamStore } from '@almanac/event-store';
import { eventually } from '@almanac/testing';
import type { z } from 'zod';
import type { DownloadLink } from '../exports/download-links.js';
import { type ServiceStubs, startServiceStubs, startFixture, storeMarkets, type ExportFixture } from './fixture.js';

export const tickerOf = (event: string): string => `${event}-T1.5`;

export const refuses = (work: Promise<unknown>, code: ErrorCode): Promise<void> =>
  assert.rejects(work, (error) => error instanceof DomainError && error.code === code);

/** The result of some work, after stopping its dependencies. */
export const thenStop = async <T>(work: Promise<T>, stop: () => Promise<void>): Promise<T> => {
  try {
    return await work;
  } finally {
    await stop();
  }
};

export type Ready = Extract<ExportState, { status: 'ready' }>;

/** A fixture with service stubs and a client: each test has its own account and event. */
export interface ExportHarness {
  readonly fixture: ExportFixture;
  readonly stubs: ServiceStubs;
  /** The export service's own connection. */
  readonly own: AdminBus;
  readonly inspector: AdminBus;
  /** Switches to another account and another event with one market and three observations. */
  change(): Promise<{ account: string; event: string }>;
  /** Stores this many observations for the event's market. */
  storeEvent(observations: number): Promise<void>;
  create(input: z.input<typeof exportRpc.create.input>): Promise<ExportResponse>;
  createGroup(input: z.input<typeof exportRpc.create.input>): Promise<ExportGroup>;
  quote(input: z.input<typeof exportRpc.quote.input>): Promise<ExportQuote>;
  link(exportId: string, as?: string): Promise<DownloadLink>;
  dataset(id: string, as?: string, asOf?: number): Promise<DatasetResponse>;
  cancel(exportId: string): Promise<ExportResponse>;
  list(input?: z.input<typeof exportRpc.list.input>, as?: string): Promise<ExportListResponse>;
  /** Requests a link after an earlier one led to a missing object. */
  missing(exportId: string): Promise<DownloadLink>;
  stateOf(exportId: string): Promise<ExportState | undefined>;
  fileOf(exportId: string): Promise<FileState>;
  /** Waits for the end of an export. */
  ended(exportId: string): Promise<ExportState>;
  /** Waits until the export is ready, and checks that it became ready once, with one complete file. */
  endsOnce(exportId: string): Promise<Ready>;
  /** The types of all events of a file or an export, in order. */
  eventsOf(stream: 'EVT_FILE' | 'EVT_EXPORT', subject: string): Promise<string[]>;
  close(): Promise<void>;
}

export const startHarness = async (): Promise<ExportHarness> => startHarnessOn(await startFixture());

/** A harness for tests that run parts of the service themselves: the streams that the service makes at its start exist. */
export const startHarnessWithStreams = async (): Promise<{ harness: ExportHarness; store: EventStore }> => {
  const harness = await startHarness();
  await ensureDeadLetters(harness.own);
  await ensureStream(harness.own, 'EVT_EXPORT');
  await ensureStream(harness.own, 'EVT_FILE');
  return { harness, store: jetStreamStore(harness.own) };
};

export const startHarnessOn = async (fixture: ExportFixture): Promise<ExportHarness> => {
  const stubs = await startServiceStubs(fixture);
  const gateway = await fixture.busOf('gateway');
  const own = await fixture.busOf('export');
  const inspector = await fixture.inspect();
  const rpc = rpcClient(gateway);
  const store = jetStreamStore(own);
  const requestExport = (input: z.input<typeof exportRpc.create.input>) =>
    rpc.call(exportRpc.create, { input, context: contextOf(account) });
  let account = '';
  let event = '';

  const harness: ExportHarness = {
    fixture,
    stubs,
    own,
    inspector,
    change: async () => {
      account = randomUUID();
      event = `KXTEST-${randomUUID().slice(0, 8)}`;
      const ticker = tickerOf(event);
      await storeMarkets(fixture, [{ ticker, event_ticker: event, series: 'KXTEST', seq: 1, result: 'yes' }]);
      await harness.storeEvent(3);
      const target = { event, ticker: null, series: 'KXTEST', day: null };
      stubs.targets.set(event, { ...target, events: [event], tickers: [ticker] });
      return { account, event };
    },
    storeEvent: (observations) => storeRows(fixture, tickerOf(event), observations),
    create: async (input) => exportResponse.parse(await requestExport(input)),
    createGroup: async (input) => exportGroup.parse(await requestExport(input)),
    quote: (input) => rpc.call(exportRpc.quote, { input, context: contextOf(account) }),
    link: (export_id, as = account) =>
      rpc.call(exportRpc.link, { input: { export_id, public: true }, context: contextOf(as) }),
    dataset: (dataset_id, as = account, as_of) =>
      rpc.call(exportRpc.dataset, { input: { dataset_id, as_of }, context: contextOf(as) }),
    cancel: (export_id) => rpc.call(exportRpc.cancel, { input: { export_id }, context: contextOf(account) }),
    list: (input = {}, as = account) => rpc.call(exportRpc.list, { input, context: contextOf(as) }),
    missing: (export_id) =>
      rpc.call(exportRpc.link, { input: { export_id, public: false, missing: true }, context: contextOf(account) }),
    stateOf: async (id) => (await store.load(subjects.export(account, id), exportState))?.state,
    fileOf: async (id) => {
      const state = await harness.stateOf(id);
      assert.ok(state !== undefined && state.status !== 'abandoned');
      const file = await store.load(subjects.file(state.file_key), fileState);
      assert.ok(file !== undefined, 'no file yet');
      return file.state;
    },
    ended: (id) => endOf(() => harness.stateOf(id)),
    endsOnce: (id) => readyOnce(harness, account, id),
    eventsOf: (stream, subject) => eventTypes(inspector, stream, subject),
    close: async () => {
      await stubs.stop();
      await Promise.all([gateway.close(), own.close(), inspector.close()]);
      await fixture.stop();
    },
  };
  return harness;
};

const contextOf = (account: string) => ({ requestId: 'test', account, timeoutMs: 60_000 });

const endOf = (stateOf: () => Promise<ExportState | undefined>): Promise<ExportState> =>
  eventually(
    async () => {
      const state = await stateOf();
      assert.ok(state !== undefined && state.status !== 'pending', 'still pending');
      return state;
    },
    { timeoutMs: 120_000 },
  );

const readyOnce = async (harness: ExportHarness, account: string, id: string): Promise<Ready> => {
  const state = await harness.ended(id);
  assert.ok(state.status === 'ready', JSON.stringify(state));
  const exported = await harness.eventsOf('EVT_EXPORT', subjects.export(account, id));
  assert.deepEqual(exported, ['ExportRequested', 'ExportReady']);
  const made = await harness.eventsOf('EVT_FILE', subjects.file(state.file_key));
  assert.deepEqual(made, ['FileWanted', 'FileReady']);
  const head = await harness.fixture.objects.head(state.file.storage_key);
  assert.equal(head?.bytes, state.file.bytes);
  return state;
};

const storeRows = (fixture: ExportFixture, ticker: string, observations: number): Promise<void> =>
  command(fixture.operator, {
    sql: `INSERT INTO snapshots (ticker, series, ts, coin_price)
      SELECT {ticker:String}, 'KXTEST', fromUnixTimestamp64Micro(1700000000000000 + number * 1000), number / 100
      FROM numbers({observations:UInt64})`,
    params: { ticker, observations },
  });

const eventTypes = async (bus: AdminBus, stream: StreamName, subject: string): Promise<string[]> => {
  const { state } = await bus.jsm.streams.info(stream);
  const types: string[] = [];
  for (let seq = 1; seq <= state.last_seq; seq += 1) {
    const message = await bus.jsm.streams.getMessage(stream, { seq });
    if (message?.subject === subject) types.push(message.json<{ type: string }>().type);
  }
  return types;
};
