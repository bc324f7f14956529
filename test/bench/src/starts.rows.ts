import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { type AdminBus, checkpointSubjects, connectBus, natsAccounts } from '@almanac/bus';
import { freePort, startNats, startProcess, startRedis, startS3 } from '@almanac/local';
import { argumentsOf } from '@almanac/system';
import { z } from 'zod';
import { createStreams, type PublishedStream, publishHistory, skipHistory } from './event-history.js';
import type { BenchHarness } from './harness.js';
import { median } from './pairs.js';
import { type BenchRow, type Measured } from './row.js';
import { startWorker } from './worker.js';

const password = randomUUID();
const moreHistory = 100;
/** The services, each with the streams that it reads. */
const services = {
  commerce: ['EVT_COMMERCE', 'EVT_EXPORT'],
  keys: ['EVT_KEYS', 'EVT_COMMERCE'],
  timeseries: ['EVT_CATALOG', 'EVT_ARCHIVE'],
  catalog: ['EVT_CATALOG', 'EVT_ARCHIVE'],
  export: ['EVT_EXPORT', 'EVT_FILE'],
  webhooks: ['EVT_EXPORT', 'EVT_CATALOG', 'EVT_ARCHIVE'],
  gateway: ['EVT_KEYS', 'EVT_COMMERCE', 'EVT_ARCHIVE', 'EVT_CATALOG', 'EVT_EXPORT'],
} as const satisfies Record<string, readonly PublishedStream[]>;
type MeasuredService = keyof typeof services;

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
    const deps = { dir, environment: { ...(await startStores(dir, undo)), NATS_URL: nats.url } };
    await createStreams(bus);
    await startOnce(service, deps);
    await publishHistory(bus, services[service], eventsN);
    await skipHistory(bus);
    if (service === 'commerce' && eventsN >= checkpointEvents)
      await startOnce(service, deps, () => checkpointStored(bus));
    const times: number[] = [];
    for (let run = 0; run < runs; run += 1) times.push(await startOnce(service, deps));
    return times;
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const checkpointEvents = 10_000;

const checkpointMsMax = 600_000;

/** With enough events, commerce stores a checkpoint, which its next start reads. */
const checkpointStored = async (bus: AdminBus): Promise<void> => {
  const deadline = performance.now() + checkpointMsMax;
  const last = { last_by_subj: checkpointSubjects.openAccounts };
  while ((await bus.jsm.streams.getMessage('EVT_COMMERCE', last)) === null) {
    if (performance.now() > deadline) throw new Error('commerce has not stored a checkpoint');
    await delay(100);
  }
};

const startStores = async (dir: string, undo: Undo[]): Promise<NodeJS.ProcessEnv> => {
  const store = startWorker('slow-store');
  undo.push(() => store.stop());
  const { port } = await store.send({ kind: 'start' }, z.object({ port: z.int() }));
  const redis = await startRedis({ dir: join(dir, 'redis') });
  undo.push(() => redis.stop());
  const s3 = { accessKeyId: 'bench', secretAccessKey: password, bucket: 'exports' };
  const objects = await startS3({ dir: join(dir, 's3'), ...s3 });
  undo.push(() => objects.stop());
  return {
    CLICKHOUSE_URL: `http://127.0.0.1:${port}`,
    REDIS_URL: redis.url,
    S3_ENDPOINT: objects.url,
    S3_BUCKET: s3.bucket,
    S3_ACCESS_KEY_ID: s3.accessKeyId,
    S3_SECRET_ACCESS_KEY: s3.secretAccessKey,
  };
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
    args: argumentsOf(service),
    env: {
      PATH: process.env['PATH'],
      ...environment,
      NATS_USER: service,
      CLICKHOUSE_USER: service,
      CATALOG_FOLDER: join(dir, 'catalog'),
      NATS_PASSWORD: password,
      HEALTH_PORT: String(healthPort),
      PORT: '0',
      SESSION_SECRET: password,
      WEBHOOK_SECRET: password,
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

const measuredServices = Object.keys(services) as MeasuredService[];

/** A start reads no history: what a process needs is in a checkpoint, in tables, or read when it is requested. */
export const startRows: readonly BenchRow[] = measuredServices.map((service) => ({
  name: `start of ${service} with ${moreHistory} times the history`,
  against: 'the start with the smaller history',
  threshold: { below: 1.5 },
  unit: 'ms',
  measure: (harness) => measure(harness, service),
}));
