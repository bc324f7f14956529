import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { type AdminBus, readSubjects, rpcClient, type RpcClient, subjects } from '@almanac/bus';
import { command } from '@almanac/clickhouse';
import {
  type DatasetForm,
  DomainError,
  type ErrorCode,
  exportGroup,
  exportResponse,
  exportRpc,
  exportState,
  type ExportState,
  fileState,
  type FileState,
} from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import type { Health } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import type { z } from 'zod';
import type { ExportConfig } from '../config.js';
import { startExport } from '../start.js';
import { storeMarkets } from './archive.js';
import { type ExportFixture, startFixture, testRuntime } from './fixture.js';
import { type ServiceStubs, startServiceStubs } from './stubs.js';

export const tickerOf = (event: string): string => `${event}-T1.5`;

export const refuses = (work: Promise<unknown>, code: ErrorCode): Promise<void> =>
  assert.rejects(work, (error) => error instanceof DomainError && error.code === code);

export type Ready = Extract<ExportState, { status: 'ready' }>;

type CreateInput = z.input<typeof exportRpc.create.input>;

/** A fixture with service stubs and a client: each test has its own account and event. */
export interface ExportHarness<Fixture extends ExportFixture = ExportFixture> extends ReturnType<typeof callsOf> {
  readonly fixture: Fixture;
  /** Starts the service in this process, after the end of the one that runs. */
  start(changes?: Partial<ExportConfig>): Promise<Health>;
  /** Ends the service as a process end does. */
  stop(): Promise<void>;
  readonly stubs: ServiceStubs;
  /** The export service's own connection. */
  readonly own: AdminBus;
  readonly inspector: AdminBus;
  /** Switches to another account and another event with one market and three observations. */
  change(): Promise<{ account: string; event: string }>;
  /** Stores this many observations for the event's market. */
  storeEvent(observations: number): Promise<void>;
  stateOf(exportId: string): Promise<ExportState | undefined>;
  fileOf(exportId: string): Promise<FileState>;
  /** Waits for the end of an export. */
  ended(exportId: string): Promise<ExportState>;
  /** Waits until the export is ready, and checks that it became ready once, with one complete file. */
  endsOnce(exportId: string): Promise<Ready>;
  /** Creates an export and waits until it is ready. */
  ready(input: CreateInput): Promise<Ready>;
  /** The text of the file behind a link. */
  textOf(exportId: string): Promise<string>;
  /** The types of all events of a file or an export, in order. */
  eventsOf(stream: 'EVT_FILE' | 'EVT_EXPORT', subject: string): Promise<string[]>;
  close(): Promise<void>;
}

export const startHarness = async (): Promise<ExportHarness> => startHarnessOn(await startFixture());

/** A harness with a running service. */
export const startRunningHarness = async (): Promise<ExportHarness> => {
  const harness = await startHarness();
  await harness.start();
  return harness;
};

export const startHarnessOn = async <Fixture extends ExportFixture>(
  fixture: Fixture,
): Promise<ExportHarness<Fixture>> => {
  const stubs = await startServiceStubs(fixture);
  const gateway = await fixture.busOf('gateway');
  const own = await fixture.busOf('export');
  const inspector = await fixture.inspect();
  const rpc = rpcClient(gateway);
  const store = jetStreamStore(own);
  let account = '';
  let event = '';

  const harness: ExportHarness<Fixture> = {
    fixture,
    ...serviceOn(fixture),
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
    ...callsOf(rpc, () => account),
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
    ready: async (input) => {
      const state = await harness.ended((await harness.create(input)).id);
      assert.ok(state.status === 'ready', JSON.stringify(state));
      return state;
    },
    textOf: async (id) => (await fetch((await harness.link(id)).url)).text(),
    eventsOf: (stream, subject) => eventTypes(inspector, stream, subject),
    close: async () => {
      await harness.stop();
      await stubs.stop();
      await Promise.all([gateway.close(), own.close(), inspector.close()]);
      await fixture.stop();
    },
  };
  return harness;
};

/** The service in this process, at most once at a time. */
const serviceOn = ({ config }: ExportFixture): Pick<ExportHarness, 'start' | 'stop'> => {
  let running: ReturnType<typeof testRuntime> | undefined;
  const stop = async (): Promise<void> => {
    const ending = running;
    running = undefined;
    await ending?.stop();
  };
  return {
    stop,
    start: async (changes = {}) => {
      await stop();
      running = testRuntime();
      await startExport({ ...config, ...changes }, running.runtime);
      return running.runtime.health;
    },
  };
};

/** The calls of the gateway for the current account. */
const callsOf = (rpc: RpcClient, current: () => string) => {
  const given = <Input>(input: Input, account = current()) => ({ input, context: contextOf(account) });
  return {
    create: async (input: CreateInput) => exportResponse.parse(await rpc.call(exportRpc.create, given(input))),
    createGroup: async (input: CreateInput) => exportGroup.parse(await rpc.call(exportRpc.create, given(input))),
    quote: (input: z.input<typeof exportRpc.quote.input>) => rpc.call(exportRpc.quote, given(input)),
    link: (export_id: string, as?: string) => rpc.call(exportRpc.link, given({ export_id, public: true }, as)),
    /** Requests a link after an earlier one led to a missing object. */
    missing: (export_id: string) => rpc.call(exportRpc.link, given({ export_id, public: false, missing: true })),
    dataset: (dataset_id: string, as?: string, as_of?: number) =>
      rpc.call(exportRpc.dataset, given({ dataset_id, as_of }, as)),
    /** A dataset in the form of a standard. */
    metadata: async (dataset_id: string, format: DatasetForm): Promise<unknown> => {
      const { first } = await rpc.forward(exportRpc.dataset, given({ dataset_id, format }));
      return JSON.parse(Buffer.from(first).toString('utf8'));
    },
    cancel: (export_id: string) => rpc.call(exportRpc.cancel, given({ export_id })),
    list: (input: z.input<typeof exportRpc.list.input> = {}, as?: string) => rpc.call(exportRpc.list, given(input, as)),
  };
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
  assert.deepEqual(made, ['FileRequested', 'FileReady']);
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

const eventTypes = async (bus: AdminBus, stream: 'EVT_FILE' | 'EVT_EXPORT', filter: string): Promise<string[]> => {
  const types: string[] = [];
  const onUnreadable = (error: unknown): never => assert.fail(String(error));
  for await (const { event } of readSubjects(bus, { stream, filter, onUnreadable })) types.push(event.type);
  return types;
};
