import { readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import type { PlanId } from '@almanac/contracts';
import { startNats } from '@almanac/local';
import { connectOperator, createAccount, startSystem, type System } from '@almanac/system';
import { z } from 'zod';
import { awaitCaughtUp } from './await-caught-up.js';
import { restoreCatalogue } from './catalogue-cache.js';
import { makeArchive } from './data.js';
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
  /** The same with a key whose plan has a limit, which is higher than any load. */
  readonly limited: Edge;
  readonly bare: { readonly port: number; readonly express: Worker; readonly handler: Worker };
  readonly clickhouse: { readonly url: string; readonly username: string; readonly password: string };
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
  readonly profile: string | undefined;
  /** Aborts the start. */
  readonly signal: AbortSignal;
}

const limitedTerms = JSON.stringify({ full_book: { requestsPerMinute: 60_000_000 } });

type Undo = () => Promise<unknown>;

/** Starts everything, runs the work, and always stops everything. */
export const withHarness = async <T>(
  options: BenchHarnessOptions,
  work: (harness: BenchHarness) => Promise<T>,
): Promise<T> => {
  const undo: Undo[] = [];
  try {
    return await work(await startHarness(options, undo));
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const startHarness = async (options: BenchHarnessOptions, undo: Undo[]): Promise<BenchHarness> => {
  const { size, print, profile, signal } = options;
  const home = await size.makeHome();
  undo.push(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  await restoreCatalogue(home, options);
  signal.throwIfAborted();
  const environment = {
    gateway: { ...profiled('gateway', profile), PLAN_TERMS: limitedTerms },
    timeseries: profiled('timeseries', profile),
    catalog: profiled('catalog', profile),
    commerce: profiled('commerce', profile),
    export: profiled('export', profile),
  };
  let startedAt = performance.now();
  const took = (): string => `${((performance.now() - startedAt) / 1_000).toFixed(1)} s`;
  const system = await startSystem({ home, port: 0, print, environment });
  print(`System     started in ${took()}`);
  undo.push(() => system.stop());
  signal.throwIfAborted();
  const { infrastructure, secrets } = system;
  const url = infrastructure.clickhouseUrl;
  const account = { url, username: 'admin', password: secrets.clickhouse.admin, requestTimeoutMs: 120_000 };
  const admin = connectClickHouse(account);
  undo.push(() => admin.close());
  startedAt = performance.now();
  await makeArchive(system, admin, size.archive);
  signal.throwIfAborted();
  const { marketsN, secondsN } = size.archive;
  const rowsN = (marketsN * secondsN).toLocaleString('en-US');
  print(`Archive    ${rowsN} rows of ${marketsN.toLocaleString('en-US')} markets in ${took()}`);
  startedAt = performance.now();
  await awaitCaughtUp(system, signal);
  print(`Services   caught up in ${took()}`);
  const port = Number(new URL(system.baseUrls[0]).port);
  const edge = async (plan: PlanId): Promise<Edge> => {
    const headers = { authorization: `Bearer ${await newKey(system, plan)}` };
    return { port, url: `http://127.0.0.1:${port}/api/v1`, headers };
  };
  const clickhouse = { url, username: 'timeseries', password: secrets.clickhouse.timeseries };
  const load = startWorker('load');
  undo.push(() => load.stop());
  const bare = await startBare({ home, clickhouse, undo });
  return {
    size,
    system,
    home,
    admin,
    load,
    gateway: await edge('internal'),
    limited: await edge('full_book'),
    bare,
    clickhouse,
    memory: () => memoryOf(system),
    withSize: (other, work) => withHarness({ ...options, size: other }, work),
  };
};

const profiled = (name: string, folder: string | undefined): NodeJS.ProcessEnv =>
  folder === undefined
    ? {}
    : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-name=${name}.cpuprofile` };

const newKey = async ({ infrastructure, secrets }: System, plan: PlanId): Promise<string> => {
  const bus = await connectOperator({ url: infrastructure.natsUrl, password: secrets.nats.operator });
  try {
    return (await createAccount(bus, { plan, keyName: 'bench' })).key;
  } finally {
    await bus.close();
  }
};

const startBare = async (options: { home: string; clickhouse: BenchHarness['clickhouse']; undo: Undo[] }) => {
  const { home, clickhouse, undo } = options;
  const nats = await startNats({ dir: join(home, 'bare-nats') });
  undo.push(() => nats.stop());
  const [express, handler] = [startWorker('bare-express'), startWorker('bare-handler')];
  undo.push(() => Promise.all([express.stop(), handler.stop()]));
  await handler.send({ kind: 'start', natsUrl: nats.url, clickhouse }, z.object({}));
  const { port } = await express.send({ kind: 'start', natsUrl: nats.url }, z.object({ port: z.int() }));
  return { port, express, handler };
};

const memoryOf = async ({ services, infrastructure }: System): Promise<ProcessMemory[]> => {
  const processes = [
    ...[...services].map(([name, { pid }]) => ({ name, pid })),
    ...infrastructure.servers.map(({ name, process: { pid } }) => ({ name, pid })),
  ];
  return Promise.all(
    processes.map(async ({ name, pid }) => {
      const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
      const megabytes = (field: string): number => {
        const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status) ?? [];
        return Math.round(Number(kilobytes) / 1_024);
      };
      return { name, nowMb: megabytes('VmRSS'), mostMb: megabytes('VmHWM') };
    }),
  );
};
