import { randomUUID } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  type AdminBus,
  connectBus,
  ensureStream,
  rpcClient,
  subjects,
  type UserName,
  natsAccounts,
  userNames,
} from '@almanac/bus';
import { marketState, timeseriesRpc } from '@almanac/contracts';
import { freePort, startNats, startProcess, startRedis } from '@almanac/local';
import { argumentsOf } from '@almanac/system';
import { z } from 'zod';
import { median } from './pairs.js';
import { type BenchRow, type Measured, measuredPairs } from './row.js';
import type { ScalingSize } from './size.js';
import { startWorker } from './worker.js';
import type { BenchHarness } from './harness.js';

const readsAtOnce = 4;
/** The delay of the slow store's answers. */
const storeMs = 200;
const readsPerSecond = readsAtOnce / (storeMs / 1_000);

type Undo = () => Promise<unknown>;

interface Store {
  readonly dir: string;
  readonly undo: Undo[];
}

export const ticker = 'SCALING-26MAR01-M1';
const passwords = Object.fromEntries(userNames.map((user) => [user, randomUUID()]));
const passwordOf = (user: UserName): string => passwords[user] ?? '';

/** Starts service processes on a separate bus, with a store that answers each read after the same time. */
export const withTimeseries = async <T>(
  { home }: BenchHarness,
  processes: number,
  use: (bus: AdminBus) => Promise<T>,
): Promise<T> => {
  const undo: Undo[] = [];
  try {
    const dir = await mkdtemp(join(home, 'scaling-'));
    const natsUrl = await startBus({ dir, undo });
    const environment = { ...(await startStores({ dir, undo })), NATS_URL: natsUrl };
    const names = Array.from({ length: processes }, (_, index) => `timeseries-${index + 1}`);
    await Promise.all(names.map((name) => startTimeseries(name, environment, { dir, undo })));
    const bus = await connectBus({ url: natsUrl, user: 'gateway', password: passwordOf('gateway') });
    undo.push(() => bus.close());
    return await use(bus);
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

/** Measures with enough clients to keep all processes busy. */
const measure = (harness: BenchHarness, processes: number): Promise<Measured> =>
  withTimeseries(harness, processes, async (bus) => {
    const { scaling } = harness.size;
    const rates = await ratesOf(bus, processes * scaling.clientsEach, scaling);
    return comparedTo(processes * readsPerSecond, rates, scaling);
  });

/** Starts a server with one market that has a window. */
const startBus = async ({ dir, undo }: Store): Promise<string> => {
  const nats = await startNats({ dir: join(dir, 'nats'), accounts: natsAccounts(passwordOf) });
  undo.push(() => nats.stop());
  const catalog = await connectBus({ url: nats.url, user: 'catalog', password: passwordOf('catalog') });
  try {
    await ensureStream(catalog, 'EVT_CATALOG');
    await ensureStream(catalog, 'EVT_ARCHIVE');
    const openUs = 1_772_366_400_000_000;
    const state = marketState.parse({ ticker, open_us: openUs, close_us: openUs + 3_600_000_000 });
    const envelope = { id: randomUUID(), type: 'MarketRecorded', version: 1, time: openUs, account: null, data: {} };
    await catalog.js.publish(subjects.market(ticker), JSON.stringify({ ...envelope, state }));
  } finally {
    await catalog.close();
  }
  return nats.url;
};

const startStores = async ({ dir, undo }: Store): Promise<NodeJS.ProcessEnv> => {
  const store = startWorker('slow-store');
  undo.push(() => store.stop());
  const { port } = await store.send({ kind: 'start' }, z.object({ port: z.int() }));
  const redis = await startRedis({ dir: join(dir, 'redis') });
  undo.push(() => redis.stop());
  return { CLICKHOUSE_URL: `http://127.0.0.1:${port}`, CLICKHOUSE_USER: 'timeseries', REDIS_URL: redis.url };
};

const startTimeseries = async (name: string, environment: NodeJS.ProcessEnv, { dir, undo }: Store): Promise<void> => {
  const healthPort = await freePort();
  const running = await startProcess({
    name,
    command: process.execPath,
    args: argumentsOf('timeseries'),
    env: {
      PATH: process.env['PATH'],
      ...environment,
      NATS_USER: 'timeseries',
      NATS_PASSWORD: passwordOf('timeseries'),
      HEALTH_PORT: String(healthPort),
      READS_AT_ONCE: String(readsAtOnce),
    },
    logFile: join(dir, `${name}.log`),
    isReady: async () =>
      (await fetch(`http://127.0.0.1:${healthPort}/readyz`, { signal: AbortSignal.timeout(1_000) })).ok,
    readyTimeoutMs: 60_000,
    orphanSignal: 'SIGTERM',
    stopTimeoutMs: 12_000,
  });
  undo.push(() => running.stop());
};

/** The reads per second in consecutive windows, with this many clients that repeat requests. */
const ratesOf = async (bus: AdminBus, clients: number, size: ScalingSize): Promise<number[]> => {
  const { warmMs, windows, windowMs } = size;
  const rpc = rpcClient(bus);
  const stopping = new AbortController();
  let answeredCount = 0;
  // One account gets half of the reads of a process, so each client has an account.
  const client = async (account: string): Promise<void> => {
    while (!stopping.signal.aborted) {
      const context = { requestId: randomUUID(), account };
      await rpc.forward(timeseriesRpc.snapshots, { input: { ticker }, context });
      answeredCount += 1;
    }
  };
  const clientsRunning = Promise.all(Array.from({ length: clients }, (_, at) => client(`client-${at}`)));
  const measuring = (async () => {
    await delay(warmMs);
    const rates: number[] = [];
    for (let window = 0; window < windows; window += 1) {
      const [before, startedAt] = [answeredCount, performance.now()];
      await delay(windowMs);
      rates.push(((answeredCount - before) * 1_000) / (performance.now() - startedAt));
    }
    return rates;
  })();
  try {
    // A refused client ends the row.
    return await Promise.race([measuring, clientsRunning.then(() => measuring)]);
  } finally {
    stopping.abort();
    await clientsRunning.catch(() => undefined);
  }
};

const comparedTo = (theory: number, rates: readonly number[], { ratioMost }: ScalingSize): Measured => {
  const ours = median(rates);
  const ratio = ours / theory;
  if (ratio > ratioMost) throw new Error(`${ours} reads/s: the processes have more than ${readsAtOnce} reads at once`);
  return measuredPairs({ ours, reference: theory, ratio, ratios: rates.map((rate) => rate / theory) });
};

/** The snapshot service alone: twice the processes serve twice the reads, as long as the store can. */
export const scalingRows: readonly BenchRow[] = [1, 2, 4, 8].map((processes) => ({
  name: `scaling, ${processes} timeseries ${processes === 1 ? 'process' : 'processes'}`,
  against: `theory: each ${readsAtOnce} reads of ${storeMs} ms at once`,
  threshold: { atLeast: 0.85 },
  unit: 'reads/s',
  measure: (harness) => measure(harness, processes),
}));
