import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import type { PlanId } from '@almanac/contracts';
import { connectOperator, createAccount, startSystem, type System, type SystemOptions } from '@almanac/operator';
import { serversWithTables } from '@almanac/testing';
import { apiClient, type ApiClient } from './api.js';

const run = promisify(execFile);
const repository = fileURLToPath(new URL('../../../', import.meta.url));

/** A separate system for one test file, in a temporary home folder. */
export interface SystemHarness {
  readonly system: System;
  /** Its home folder, for ALMANAC_HOME of a command. */
  readonly home: string;
  /** The key of a new account. */
  key(plan: PlanId): Promise<string>;
  /** A client of a new account, at the gateway with this number. */
  client(plan: PlanId, gateway?: number): Promise<ApiClient>;
  /** Clients of one new account at every gateway. */
  clients(plan: PlanId): Promise<ApiClient[]>;
  /** Runs `npm run import` against this system. Returns its output and exit code. */
  import(...args: readonly string[]): Promise<{ code: number; output: string }>;
  stop(): Promise<void>;
}

/** For tests that insert rows themselves. */
export const clickHouseOf = ({ clickhouseUrl, clickhouseCluster }: System['infrastructure']) => ({
  url: clickhouseUrl,
  cluster: clickhouseCluster,
});

export const startHarness = async (
  options: Partial<Pick<SystemOptions, 'gateways' | 'environment' | 'servers' | 'home'>> = {},
): Promise<SystemHarness> => {
  const home = options.home ?? (await mkdtemp(join(tmpdir(), 'almanac-e2e-')));
  const lines: string[] = [];
  const servers = options.servers ?? (await serversWithTables());
  const system = await startSystem({ port: 0, print: (line) => lines.push(line), ...options, home, servers });
  const key = async (plan: PlanId): Promise<string> => {
    const bus = await connectOperator({ url: system.infrastructure.natsUrl, password: system.secrets.nats.operator });
    try {
      return (await createAccount(bus, { plan, keyName: 'test' })).key;
    } finally {
      await bus.close();
    }
  };
  const clients = async (plan: PlanId): Promise<ApiClient[]> => {
    const made = await key(plan);
    return system.baseUrls.map((url) => apiClient(url, made));
  };
  return {
    system,
    home,
    key,
    clients,
    client: async (plan, gateway = 0) => {
      const all = await clients(plan);
      const client = all[gateway];
      if (client === undefined) throw new Error(`there are ${all.length} gateways`);
      return client;
    },
    import: (...args) => runImport(home, args),
    stop: async () => {
      await system.stop();
      if (options.home === undefined) await rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 });
    },
  };
};

/** Of a suite that runs with different data: what it opens, why it cannot run, and the system that its file shares. */
export interface SuiteOptions<Data> {
  readonly open: () => Promise<Data>;
  readonly skip: string | false;
  readonly system?: () => SystemHarness;
}

/** The system of a suite: the one that its file shares, or its own. */
export const suiteSystem = (
  shared: (() => SystemHarness) | undefined,
  options: Parameters<typeof startHarness>[0] = {},
): { start(): Promise<SystemHarness>; stop(): Promise<void> } => {
  let own: SystemHarness | undefined;
  return {
    start: async () => shared?.() ?? (own = await startHarness(options)),
    stop: async () => own?.stop(),
  };
};

const runImport = async (home: string, args: readonly string[]): Promise<{ code: number; output: string }> => {
  const program = join(repository, 'services/ingest/dist/bundled/main.js');
  const options = { env: { ...process.env, ALMANAC_HOME: home }, cwd: repository, timeout: 240_000 };
  try {
    const { stdout, stderr } = await run(process.execPath, [program, ...args], options);
    return { code: 0, output: stdout + stderr };
  } catch (error) {
    if (!(error instanceof Error && 'code' in error && typeof error.code === 'number')) throw error;
    const { stdout = '', stderr = '' } = error as { stdout?: string; stderr?: string };
    return { code: error.code, output: stdout + stderr };
  }
};
