import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { type ClickHouse, connectClickHouse } from '@almanac/clickhouse';
import { freePort, startNats, startProcess } from '@almanac/local';
import { connectOperator, createAccount, startSystem, type System } from '@almanac/system';
import { z } from 'zod';
import { makeArchive } from './data.js';
import { startWorker, type Worker } from './worker.js';

/** Everything that a row may need, all of it running. */
export interface World {
  readonly system: System;
  readonly home: string;
  readonly admin: ClickHouse;
  /** Sends requests. */
  readonly load: Worker;
  /** The gateway that the system has, and one that keeps no answers. */
  readonly gateway: Edge;
  readonly forgetfulGateway: Edge;
  readonly bare: { readonly port: number; readonly express: Worker; readonly handler: Worker };
  readonly clickhouse: { readonly url: string; readonly username: string; readonly password: string };
  /** A line for each process that has memory worth telling. */
  memory(): Promise<string[]>;
}

export interface Edge {
  readonly port: number;
  readonly url: string;
  readonly headers: { readonly authorization: string };
}

export interface WorldOptions {
  readonly say: (line: string) => void;
  /** Folder for CPU profiles of the gateway and of timeseries. */
  readonly profile: string | undefined;
}

type Undo = () => Promise<unknown>;

/** Starts all, lets the work run, and stops all, whatever happened. */
export const withWorld = async (options: WorldOptions, work: (world: World) => Promise<void>): Promise<void> => {
  const undo: Undo[] = [];
  try {
    await work(await startWorld(options, undo));
  } finally {
    for (const step of undo.toReversed()) await step();
  }
};

const startWorld = async ({ say, profile }: WorldOptions, undo: Undo[]): Promise<World> => {
  const home = await mkdtemp(join(tmpdir(), 'almanac-bench-'));
  undo.push(() => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }));
  const environment = {
    gateway: profiled('gateway', profile),
    timeseries: profiled('timeseries', profile),
    catalog: profiled('catalog', profile),
  };
  const system = await startSystem({ home, port: 0, say, environment });
  undo.push(() => system.stop());
  const { infrastructure, secrets } = system;
  const url = infrastructure.clickhouseUrl;
  const account = { url, username: 'admin', password: secrets.clickhouse.admin, requestTimeoutMs: 120_000 };
  const admin = connectClickHouse(account);
  undo.push(() => admin.close());
  const startedAt = performance.now();
  await makeArchive(system, admin);
  say(`Archive    7,200,000 rows of 2,000 markets in ${((performance.now() - startedAt) / 1_000).toFixed(1)} s`);
  const key = await newKey(system);
  const headers = { authorization: `Bearer ${key}` };
  const edge = (port: number): Edge => ({ port, url: `http://127.0.0.1:${port}/api/v1`, headers });
  const clickhouse = { url, username: 'timeseries', password: secrets.clickhouse.timeseries };
  const load = startWorker('load');
  undo.push(() => load.stop());
  const bare = await startBare({ home, clickhouse, undo });
  const forgetful = await startForgetfulGateway({ system, home, profile, undo });
  return {
    system,
    home,
    admin,
    load,
    gateway: edge(Number(new URL(system.baseUrls[0]).port)),
    forgetfulGateway: edge(forgetful),
    bare,
    clickhouse,
    memory: () => memoryOf(system),
  };
};

const profiled = (name: string, folder: string | undefined): NodeJS.ProcessEnv =>
  folder === undefined
    ? {}
    : { NODE_OPTIONS: `--cpu-prof --cpu-prof-dir=${folder} --cpu-prof-name=${name}.cpuprofile` };

const newKey = async ({ infrastructure, secrets }: System): Promise<string> => {
  const bus = await connectOperator({ url: infrastructure.natsUrl, password: secrets.nats.operator });
  try {
    return (await createAccount(bus, { plan: 'internal', keyName: 'bench' })).key;
  } finally {
    await bus.close();
  }
};

const startBare = async (options: { home: string; clickhouse: World['clickhouse']; undo: Undo[] }) => {
  const { home, clickhouse, undo } = options;
  const nats = await startNats({ dir: join(home, 'bare-nats') });
  undo.push(() => nats.stop());
  const [express, handler] = [startWorker('bare-express'), startWorker('bare-handler')];
  undo.push(() => Promise.all([express.stop(), handler.stop()]));
  await handler.ask({ kind: 'start', natsUrl: nats.url, clickhouse }, z.object({}));
  const { port } = await express.ask({ kind: 'start', natsUrl: nats.url }, z.object({ port: z.int() }));
  return { port, express, handler };
};

/** A second gateway, which keeps no answers and otherwise is like the first. */
const startForgetfulGateway = async (options: {
  system: System;
  home: string;
  profile: string | undefined;
  undo: Undo[];
}): Promise<number> => {
  const { system, home, profile, undo } = options;
  const [port, healthPort] = [await freePort(), await freePort()];
  const gateway = await startProcess({
    name: 'The gateway without memory',
    command: process.execPath,
    args: ['--enable-source-maps', fileURLToPath(new URL('../../../services/gateway/dist/main.js', import.meta.url))],
    env: {
      PATH: process.env['PATH'],
      NATS_URL: system.infrastructure.natsUrl,
      NATS_USER: 'gateway',
      NATS_PASSWORD: system.secrets.nats.gateway,
      HOST: '127.0.0.1',
      PORT: String(port),
      HEALTH_PORT: String(healthPort),
      CACHE_MB: '0',
      ...profiled('gateway-without-memory', profile),
    },
    logFile: join(home, 'logs', 'gateway-without-memory.log'),
    isReady: async () => (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) })).ok,
    orphanSignal: 'SIGTERM',
    stopTimeoutMs: 12_000,
  });
  undo.push(() => gateway.stop());
  return port;
};

const memoryOf = async ({ services, infrastructure }: System): Promise<string[]> => {
  const processes: [string, number][] = [
    ...[...services].map(([name, { pid }]): [string, number] => [name, pid]),
    ...infrastructure.servers.map(({ name, process: { pid } }): [string, number] => [name, pid]),
  ];
  return Promise.all(processes.map(async ([name, pid]) => `${name.padEnd(18)} ${await memoryOfProcess(pid)}`));
};

const memoryOfProcess = async (pid: number): Promise<string> => {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  const megabytes = (field: string): string => {
    const [, kilobytes] = new RegExp(`^${field}:\\s+(\\d+)`, 'm').exec(status) ?? [];
    return kilobytes === undefined ? 'unknown' : `${Math.round(Number(kilobytes) / 1_024)} MB`;
  };
  return `${megabytes('VmRSS').padStart(8)} now, ${megabytes('VmHWM').padStart(8)} at most`;
};
