import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Reply, subjects } from '@almanac/bus';
import { connectClickHouse } from '@almanac/clickhouse';
import { type ReplyMeta, timeseriesRpc } from '@almanac/contracts';
import type { ObjectStore } from '@almanac/object-store';
import { accountSlots, createHealth, createLogger, type Runtime } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import type { z } from 'zod';
import { withLastRows } from '../../as-of/last-rows.js';
import { answerCandleBatch, answerCandles, type CandlesDeps } from '../../candles/candles.query.js';
import { marketGaps } from '../../gaps/market-gaps.js';
import { startStateCaches } from '../../state-caches.js';
import type { StateCaches } from '../../market-context.js';
import { archiveRows } from '../../rows/archive-rows.js';
import { answerSnapshots, type Caller, type SnapshotsDeps } from '../../snapshots/snapshots.query.js';
import { partSlots } from '../../rows/part-slots.js';
import { heldStreams } from '../../rows/stream-places.js';
import { rowStreams } from '../../rows/stream-rows.js';
import { callersOf, type Callers, startFixture, startService, type TimeseriesFixture } from '../../testing/fixture.js';
import { venueRanges } from '../../candles/venue-ranges.js';
import { marketTradeTimes } from '../../trades/trade-times.js';
import { slabFolder } from '../slab-folder.js';
import { slabMetrics } from '../slab-metrics.js';
import { slabStore } from '../slab-store.js';
import { marketRows } from '../market-rows.js';
import type { SlabMakesOptions } from '../make-slabs.js';
import { type Slabs, slabs } from '../slabs.js';

export type SnapshotsInput = z.input<typeof timeseriesRpc.snapshots.input>;
/** Of one market, or of several. */
export type CandlesInput =
  z.input<typeof timeseriesRpc.candles.input> | z.input<typeof timeseriesRpc.candleBatch.input>;

export interface Answer {
  readonly bytes: Buffer;
  readonly meta: ReplyMeta;
}

/** The slabs of one process. */
export interface SlabProcess {
  readonly folder: string;
  readonly slabs: Slabs;
  read(input: SnapshotsInput): Promise<Answer>;
  readWithout(input: SnapshotsInput): Promise<Answer>;
  candles(input: CandlesInput): Promise<Answer>;
  candlesWithout(input: CandlesInput): Promise<Answer>;
  /** Reads that slabs had, and those that they did not. */
  counts(): Promise<{ readonly hit: number; readonly miss: number }>;
  metric(name: string, labels?: Readonly<Record<string, string>>): Promise<number>;
}

/** The same reads with and without slabs, at the same data versions. */
export interface ComparedReads extends SlabProcess {
  readonly fixture: TimeseriesFixture;
  readonly callers: Callers;
  /** Another process with an empty folder. */
  newProcess(changes?: ComparedReadsOptions): Promise<SlabProcess>;
  /** Waits until the readers know the data version that the last store led to. */
  settle(ticker: string, version: number): Promise<void>;
  version(ticker: string): Promise<number>;
  stop(): Promise<void>;
}

export interface ComparedReadsOptions extends Partial<Pick<SlabMakesOptions, 'slabBytesMax' | 'pauseMs' | 'isBusy'>> {
  readonly bytesMax?: number;
  readonly folder?: string;
  /** For each process. Default: no object store. */
  readonly connectObjects?: () => ObjectStore;
  /** After a failure of the object store. */
  readonly storePauseMs?: number;
  /** How long reads wait for it. */
  readonly storeWaitMs?: number;
}

export const startComparedReads = async (options: ComparedReadsOptions = {}): Promise<ComparedReads> => {
  const fixture = await startFixture();
  const service = await startService(fixture, { SLABS_MB: 0 });
  const buses = await Promise.all([fixture.busOf('gateway'), fixture.busOf('ingest'), fixture.busOf('timeseries')]);
  const [gateway, ingest, own] = buses;
  const stops: (() => Promise<void> | void)[] = [];
  const runtime: Runtime = {
    log: createLogger('timeseries', 'silent'),
    health: createHealth(),
    onStop: (_, stop) => void stops.push(stop),
  };
  const states = await startStateCaches(own, fixture.config, runtime);
  const processes: SlabProcess[] = [];
  const newProcess = async (more: ComparedReadsOptions = {}): Promise<SlabProcess> => {
    const process_ = await startProcess(fixture, {
      states,
      runtime: { ...runtime, health: createHealth() },
      options: { ...options, ...more },
    });
    processes.push(process_);
    return process_;
  };
  const folder = options.folder ?? (await mkdtemp(join(tmpdir(), 'slabs-')));
  const first = await newProcess({ folder });
  const version = async (ticker: string): Promise<number> =>
    (await states.archives.get(subjects.archive(ticker)))?.state.version ?? 0;
  return {
    fixture,
    callers: callersOf(gateway, ingest),
    ...first,
    newProcess: async (changes = {}) => newProcess({ folder: await mkdtemp(join(tmpdir(), 'slabs-')), ...changes }),
    version,
    settle: (ticker, expected) => eventually(async () => assert.ok((await version(ticker)) >= expected)),
    stop: async () => {
      await Promise.all(processes.map((process_) => process_.slabs.stop()));
      for (const stop of stops.toReversed()) await stop();
      await service.stop();
      await Promise.all(buses.map((bus) => bus.close()));
      await fixture.stop();
      const temporary = processes.map((process_) => process_.folder).filter((path) => path !== options.folder);
      await Promise.all(temporary.map((path) => rm(path, { recursive: true, force: true })));
    },
  };
};

const startProcess = async (
  fixture: TimeseriesFixture,
  setup: { states: StateCaches; runtime: Runtime; options: ComparedReadsOptions },
): Promise<SlabProcess> => {
  const { deps, slabs: made, folder } = await depsOf(fixture, setup);
  const { metrics } = setup.runtime.health;
  const metric: SlabProcess['metric'] = async (name, labels = {}) => {
    const found = await metrics.getSingleMetric(name)?.get();
    const values = found?.values.filter(({ labels: own_ }) => Object.entries(labels).every(([k, v]) => own_[k] === v));
    return values?.reduce((sum, { value }) => sum + value, 0) ?? 0;
  };
  return {
    folder,
    slabs: made,
    read: (input) => answerOf(deps.with, input),
    readWithout: (input) => answerOf(deps.without, input),
    candles: (input) => candlesOf({ ...deps.candles, slabs: made }, input),
    candlesWithout: (input) => candlesOf({ ...deps.candles, slabs: undefined }, input),
    counts: async () => ({
      hit: await metric('almanac_slab_reads_total', { result: 'hit' }),
      miss: await metric('almanac_slab_reads_total', { result: 'miss' }),
    }),
    metric,
  };
};

const depsOf = async (
  { config }: TimeseriesFixture,
  { states, runtime, options }: { states: StateCaches; runtime: Runtime; options: ComparedReadsOptions },
) => {
  const { CLICKHOUSE_URL: url, CLICKHOUSE_USER: username, CLICKHOUSE_PASSWORD: password } = config;
  const clickhouse = connectClickHouse({ url, username, password });
  runtime.onStop('clickhouse', () => clickhouse.close());
  const slots = accountSlots({ atOnce: 4 });
  const archive = archiveRows(clickhouse, slots);
  const metrics = slabMetrics(runtime);
  const path = options.folder ?? (await mkdtemp(join(tmpdir(), 'slabs-')));
  const { bytesMax = 64 * 1_048_576 } = options;
  const { log } = runtime;
  const folder = slabFolder({ folder: path, bytesMax, onDiscarded: (reason) => metrics.onDiscarded(reason), log });
  await folder.found;
  metrics.watch(folder);
  const objects = options.connectObjects?.();
  const { storePauseMs, storeWaitMs } = options;
  const times = defined({ pauseMs: storePauseMs, answerMs: storeWaitMs });
  const store = objects && slabStore({ objects, folder, metrics, log, ...times });
  const { slabBytesMax, pauseMs } = options;
  const changes = defined({ slabBytesMax, pauseMs, fetchMs: storeWaitMs });
  const made = slabs({
    clickhouse,
    folder,
    store,
    slots,
    metrics,
    log,
    ...changes,
    ...(options.isBusy && { isBusy: options.isBusy }),
  });
  const shared = {
    states,
    archive,
    streams: rowStreams({ clickhouse, slots, streamSlots: partSlots(2), held: heldStreams(slots, 2) }),
    withLastRows: withLastRows(archive),
    plans: config.PLAN_TERMS,
    isUnlocked: () => Promise.resolve(false),
  };
  const withSlabs: SnapshotsDeps = { ...shared, rows: marketRows(archive, made) };
  const without: SnapshotsDeps = { ...shared, rows: marketRows(archive, undefined) };
  const candles = {
    ...shared,
    rows: archive,
    gaps: marketGaps(archive),
    tradeTimes: marketTradeTimes(archive),
    venueRanges: venueRanges(archive),
  };
  return { deps: { with: withSlabs, without, candles }, slabs: made, folder: path };
};

/** Without the options that are not given. */
const defined = (values: Readonly<Record<string, number | undefined>>): Readonly<Record<string, number>> =>
  Object.fromEntries(Object.entries(values).filter((entry): entry is [string, number] => entry[1] !== undefined));

const newCaller = (): Caller => {
  const signal = AbortSignal.timeout(20_000);
  return { plan: 'full_book', account: 'a1', signal, remainingMs: 20_000 };
};

const answerOf = async (deps: SnapshotsDeps, input: SnapshotsInput): Promise<Answer> => {
  const reply = await answerSnapshots(deps, timeseriesRpc.snapshots.input.parse(input), newCaller());
  if (!(reply instanceof Reply)) throw new Error('these reads are pages');
  return { bytes: Buffer.from(reply.bytes), meta: reply.meta };
};

const candlesOf = async (deps: CandlesDeps, input: CandlesInput): Promise<Answer> => {
  const { candles, candleBatch } = timeseriesRpc;
  const { bytes, meta } = await ('tickers' in input
    ? answerCandleBatch(deps, candleBatch.input.parse(input), newCaller())
    : answerCandles(deps, candles.input.parse(input), newCaller()));
  return { bytes: Buffer.from(bytes), meta };
};
