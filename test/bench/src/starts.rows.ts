import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import {
  type AdminBus,
  checkpointSubjects,
  connectBus,
  durables,
  ensureStream,
  natsAccounts,
  subjects,
} from '@almanac/bus';
import { accountState, archiveState, type StreamName } from '@almanac/contracts';
import { freePort, startNats, startProcess, startRedis } from '@almanac/local';
import { memoryFlags } from '@almanac/system';
import { z } from 'zod';
import type { BenchHarness } from './harness.js';
import { median } from './pairs.js';
import { type BenchRow, type Measured } from './row.js';
import { startWorker } from './worker.js';

const password = randomUUID();
const moreHistory = 100;
const services = ['commerce', 'keys', 'timeseries', 'gateway'] as const;
type MeasuredService = (typeof services)[number];

type Undo = () => Promise<unknown>;

interface Deps {
  readonly dir: string;
  readonly environment: NodeJS.ProcessEnv;
}

/** The start of one service over a history and over 100 times as much. The service ran before, as in an upgrade. */
const measure = async ({ home, size }: BenchHarness, service: MeasuredService): Promise<Measured> => {
  const { eventsN, runs } = size.starts;
  const [few, many] = [
    await startsOver(home, service, eventsN, runs),
    await startsOver(home, service, eventsN * moreHistory, runs),
  ];
  const [ours, reference] = [median(many), median(few)];
  const listed = (times: readonly number[]): string => times.map((ms) => Math.round(ms)).join(' ');
  return { ours, reference, ratio: ours / reference, notes: [`${listed(few)} ms, then ${listed(many)} ms`] };
};

const startsOver = async (home: string, service: MeasuredService, eventsN: number, runs: number): Promise<number[]> => {
  const undo: Undo[] = [];
  try {
    const dir = await mkdtemp(join(home, 'starts-'));
    const accounts = natsAccounts(() => password, { admin: password });
    const nats = await startNats({ dir: join(dir, 'nats'), accounts });
    undo.push(() => nats.stop());
    const bus = await connectBus({ url: nats.url, user: 'admin', password });
    undo.push(() => bus.close());
    await fill(bus, eventsN);
    const deps = { dir, environment: { ...(await startStores(dir, undo)), NATS_URL: nats.url } };
    await startOnce(service, deps, () => isSettled(bus, service, eventsN));
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) times.push(await startOnce(service, deps));
    return times;
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const eventsPerEntity = 5;
const batchN = 500;

const fill = async (bus: AdminBus, eventsN: number): Promise<void> => {
  const entities = Math.max(1, eventsN / eventsPerEntity);
  const streams: readonly (readonly [StreamName, (id: string) => string, (id: string) => string])[] = [
    ['EVT_COMMERCE', subjects.account, accountEvent],
    ['EVT_KEYS', subjects.keyring, accountEvent],
    ['EVT_ARCHIVE', subjects.archive, archiveEvent],
  ];
  for (const stream of ['EVT_CATALOG', 'EVT_EXPORT', 'EVT_STRIPE'] as const) await ensureStream(bus, stream);
  for (const [stream, subjectOf, eventOf] of streams) {
    await ensureStream(bus, stream);
    for (let n = 0; n < eventsN; n += batchN) {
      const events = Array.from({ length: Math.min(batchN, eventsN - n) }, (_, at) => `a${(n + at) % entities}`);
      await Promise.all(events.map((id) => bus.js.publish(subjectOf(id), eventOf(id))));
    }
  }
};

const accountEvent = (account: string): string => {
  const exports_today = { day: '2026-03-01', count: 0 };
  const state = accountState.parse({
    account,
    plan: 'pro',
    credits_granted: 0,
    credits_used: 0,
    exports_today,
    reservations: {},
  });
  return JSON.stringify({ ...envelope('PlanChanged'), account, data: { plan: 'pro' }, state });
};

/** A change of old data: too old for a preview, and without trades to count. */
const archiveEvent = (ticker: string): string => {
  const change = { rows: 1, min_us: 1, max_us: 1 };
  const state = archiveState.parse({ ticker, version: 1, min_us: 1, max_us: 1 });
  return JSON.stringify({ ...envelope('MarketDataChanged'), data: { ...change, cause: 'observations' }, state });
};

const envelope = (type: string) => ({ id: randomUUID(), type, version: 1, time: 1 });

const checkpointEvents = 10_000;

const settledMsMax = 600_000;

/** With enough events, commerce stores a checkpoint. Timeseries follows the changes of all markets. */
const isSettled = async (bus: AdminBus, service: MeasuredService, eventsN: number): Promise<void> => {
  if (service === 'commerce' && eventsN >= checkpointEvents) {
    const last = { last_by_subj: checkpointSubjects.openAccounts };
    await until('a checkpoint', async () => (await bus.jsm.streams.getMessage('EVT_COMMERCE', last)) !== null);
  }
  if (service !== 'timeseries') return;
  for (const durable of [durables.timeseriesSettled, durables.timeseriesTrades]) {
    await until(`the last event of ${durable}`, async () => {
      const { num_pending, num_ack_pending } = await bus.jsm.consumers.info('EVT_ARCHIVE', durable);
      return num_pending + num_ack_pending === 0;
    });
  }
};

const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
  const deadline = performance.now() + settledMsMax;
  while (!(await holds())) {
    if (performance.now() > deadline) throw new Error(`the service has not reached ${what}`);
    await delay(100);
  }
};

const startStores = async (dir: string, undo: Undo[]): Promise<NodeJS.ProcessEnv> => {
  const store = startWorker('slow-store');
  undo.push(() => store.stop());
  const { port } = await store.send({ kind: 'start' }, z.object({ port: z.int() }));
  const redis = await startRedis({ dir: join(dir, 'redis') });
  undo.push(() => redis.stop());
  return { CLICKHOUSE_URL: `http://127.0.0.1:${port}`, CLICKHOUSE_USER: 'timeseries', REDIS_URL: redis.url };
};

/** Milliseconds from the start of the process until it is ready. */
const startOnce = async (
  service: MeasuredService,
  { dir, environment }: Deps,
  whileRunning: () => Promise<void> = () => Promise.resolve(),
): Promise<number> => {
  const healthPort = await freePort();
  const startedAt = performance.now();
  const running = await startProcess({
    name: service,
    command: process.execPath,
    args: [...memoryFlags, fileURLToPath(new URL(`../../../services/${service}/dist/main.js`, import.meta.url))],
    env: {
      PATH: process.env['PATH'],
      ...environment,
      NATS_USER: service,
      NATS_PASSWORD: password,
      HEALTH_PORT: String(healthPort),
      PORT: '0',
      SESSION_SECRET: password,
      SWEEP_EVERY_S: '1',
    },
    logFile: join(dir, `${service}.log`),
    isReady: async () =>
      (await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(1_000) })).ok,
    readyTimeoutMs: 600_000,
    orphanSignal: 'SIGTERM',
    stopTimeoutMs: 12_000,
  });
  const ms = performance.now() - startedAt;
  try {
    await whileRunning();
  } finally {
    await running.stop();
  }
  return ms;
};

/** A start reads no history: what a process needs is in a checkpoint, in tables, or read when it is requested. */
export const startRows: readonly BenchRow[] = services.map((service) => ({
  name: `start of ${service} with ${moreHistory} times the history`,
  against: 'the start with the smaller history',
  threshold: { below: 1.5 },
  unit: 'ms',
  measure: (harness) => measure(harness, service),
}));
