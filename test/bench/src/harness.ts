import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { connectBus, rpcClient } from '@almanac/bus';
import { type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import { DomainError, serviceNames, streamsRpc } from '@almanac/contracts';
import { startNats } from '@almanac/local-servers';
import { connectOperator, createAccount, startSystem, type System } from '@almanac/operator';
import { z } from 'zod';
import { restoreCatalogue } from './catalogue-cache.js';
import { awaitNoReason } from './concurrent.js';
import { makeOnce } from './data.js';
import { requestJson } from './http-side.js';
import { secondsSince } from './pairs.js';
import { processMemory } from './process-memory.js';
import type { BenchFolder } from './row.js';
import type { BenchSize } from './size.js';
import { startWorker, type Worker } from './worker.js';

/** Everything that a row may need, already running. */
export interface BenchHarness {
  readonly size: BenchSize;
  readonly system: System;
  readonly home: string;
  readonly admin: ClickHouse;
  /** The process that sends requests. */
  readonly load: Worker;
  readonly gateway: Edge;
  readonly bare: BareServer;
  readonly clickhouse: { readonly url: string; readonly username: string; readonly password: string };
  /** Waits until no consumer has a backlog, and no process is degraded. */
  caughtUp(): Promise<void>;
  /** The memory of each process of the system. */
  memory(): Promise<ProcessMemory[]>;
  /** The same with other data, in another system beside this one. */
  withSize<T>(size: BenchSize, work: (harness: BenchHarness) => Promise<T>): Promise<T>;
}

export interface Edge {
  readonly port: number;
  readonly url: string;
  readonly headers: { readonly authorization: string };
}

/** Express with nothing but answers that are ready, or that a handler behind NATS sends. */
interface BareServer {
  readonly port: number;
  /** Makes these answers available at `/bytes/<name>` or `/echo/<name>`. */
  prepare(via: 'bytes' | 'echo', answers: ReadonlyMap<string, Buffer>): Promise<unknown>;
}

export interface ProcessMemory {
  readonly name: string;
  readonly nowMb: number;
  /** The peak since its start. */
  readonly mostMb: number;
}

export interface BenchHarnessOptions {
  readonly size: BenchSize;
  readonly print: (line: string) => void;
  /** Folder for CPU profiles of the services. */
  readonly cpuProfiles: string | undefined;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

const caughtUpMsMax = 1_800_000;

type Undo = () => Promise<unknown>;

/** Runs work that needs no system. */
export const withFolder = async <T>(size: BenchSize, work: (folder: BenchFolder) => Promise<T>): Promise<T> => {
  const home = await size.makeHome();
  try {
    return await work({ home, size });
  } finally {
    await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
  }
};

/** Starts everything, runs the work, and always stops everything. */
export const withHarness = <T>(options: BenchHarnessOptions, work: (harness: BenchHarness) => Promise<T>): Promise<T> =>
  withFolder(options.size, async ({ home }) => {
    const undo: Undo[] = [];
    try {
      return await work(await startHarness(home, options, undo));
    } finally {
      for (const step of undo.toReversed()) await step();
    }
  });

const startHarness = async (home: string, options: BenchHarnessOptions, undo: Undo[]): Promise<BenchHarness> => {
  const { size, print, signal } = options;
  await restoreCatalogue(home, options);
  const timed = async <T>(what: string, work: Promise<T>): Promise<T> => {
    const startedAt = performance.now();
    const result = await work;
    print(`${what} in ${secondsSince(startedAt).toFixed(1)} s`);
    signal.throwIfAborted();
    return result;
  };
  signal.throwIfAborted();
  const environment = environmentOf(options);
  const system = await startSystem({ home, port: 0, print, environment });
  undo.push(() => system.stop());
  const { infrastructure, secrets } = system;
  const url = infrastructure.clickhouseUrl;
  const account = { url, username: 'admin', password: secrets.clickhouse.admin, requestTimeoutMs: 120_000 };
  const admin = connectClickHouse(account);
  undo.push(() => admin.close());
  await timed('Archive    made', makeOnce({ system, admin }, size.archive));
  const caughtUp = (): Promise<void> =>
    awaitNoReason(() => backlogOf(system), { pollMs: 1_000, mostMs: caughtUpMsMax, signal });
  await timed('Services   caught up', caughtUp());
  const port = Number(new URL(system.baseUrls[0]).port);
  const headers = { authorization: `Bearer ${await newKey(system)}` };
  const clickhouse = { url, username: 'timeseries', password: secrets.clickhouse.timeseries };
  const load = startWorker('load');
  undo.push(() => load.stop());
  return {
    size,
    system,
    home,
    admin,
    load,
    clickhouse,
    caughtUp,
    gateway: { port, url: `http://127.0.0.1:${port}/api/v1`, headers },
    bare: await startBare({ home, clickhouse, undo }),
    memory: () => memoryOf(system),
    withSize: (other, work) => withHarness({ ...options, size: other }, work),
  };
};

const environmentOf = ({ cpuProfiles: folder }: BenchHarnessOptions) => {
  if (folder === undefined) return {};
  const profiled = ['gateway', 'timeseries', 'catalog', 'commerce', 'export'].map((name) => {
    const flags = `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-name=${name}.cpuprofile`;
    return [name, { NODE_OPTIONS: flags }] as const;
  });
  return Object.fromEntries(profiled);
};

const newKey = async ({ infrastructure, secrets }: System): Promise<string> => {
  const bus = await connectOperator({ url: infrastructure.natsUrl, password: secrets.nats.operator });
  try {
    return (await createAccount(bus, { plan: 'internal', keyName: 'bench' })).key;
  } finally {
    await bus.close();
  }
};

type BareOptions = Pick<BenchHarness, 'home' | 'clickhouse'> & { readonly undo: Undo[] };

const startBare = async ({ home, clickhouse, undo }: BareOptions): Promise<BareServer> => {
  const nats = await startNats({ dir: join(home, 'bare-nats') });
  undo.push(() => nats.stop());
  const [express, handler] = [startWorker('bare-express'), startWorker('bare-handler')];
  undo.push(() => Promise.all([express.stop(), handler.stop()]));
  await handler.send({ natsUrl: nats.url, clickhouse }, z.object({}));
  const { port } = await express.send({ natsUrl: nats.url }, z.object({ port: z.int() }));
  const workers = { bytes: express, echo: handler };
  return { port, prepare: (via, answers) => workers[via].send({ answers }, z.object({})) };
};

const readiness = z.object({ degraded: z.record(z.string(), z.string()).optional() });

/**
 * The consumers that have a backlog, the services that are too busy to answer, and optional checks that fail. After its
 * first start, catalog copies all markets to its disk. What is measured beside that work would be slower.
 */
const backlogOf = async ({ infrastructure, secrets, services }: System): Promise<string | undefined> => {
  const bus = await connectBus({ url: infrastructure.natsUrl, user: 'gateway', password: secrets.nats.gateway });
  try {
    const rpc = rpcClient(bus);
    const behind = serviceNames.map(async (service) => {
      try {
        const { consumers } = await rpc.call(streamsRpc[service], { input: {}, context: { requestId: randomUUID() } });
        return consumers.filter((one) => one.waiting + one.in_progress > 0).map(({ consumer }) => consumer);
      } catch (error) {
        if (error instanceof DomainError && error.code === 'unavailable') return [service];
        throw error;
      }
    });
    const degraded = Array.from(services, async ([service, { healthPort }]) => {
      const found = await requestJson(readiness, `http://127.0.0.1:${healthPort}/readyz`);
      return Object.entries(found.degraded ?? {}).map(([check, reason]) => `${service}, ${check}: ${reason}`);
    });
    const reasons = (await Promise.all([...behind, ...degraded])).flat();
    return reasons.length === 0 ? undefined : `services have not caught up: ${reasons.join('; ')}`;
  } finally {
    await bus.close();
  }
};

const memoryOf = async ({ services, infrastructure }: System): Promise<ProcessMemory[]> => {
  const processes = [
    ...[...services].map(([name, { pid }]) => ({ name, pid })),
    ...infrastructure.servers.map(({ name, process: { pid } }) => ({ name, pid })),
  ];
  return Promise.all(processes.map(async ({ name, pid }) => ({ name, ...(await processMemory(pid)) })));
};
