import { execFile } from 'node:child_process';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import {
  acceptsNatsClients,
  findBinary,
  freePort,
  type NatsAccount,
  natsAccountsBlock,
  type RunningProcess,
  startProcess,
} from '@almanac/local-servers';
import { z } from 'zod';
import { eventually } from './eventually.js';
import { writeClusterConfig } from './nats-cluster-config.js';
import { tcpLink, type TcpLink } from './tcp-link.js';

/** Three servers with `deploy/nats/cluster.conf`, or with TLS. Only addresses, ports and folders are replaced. */
export interface ConfiguredNatsCluster {
  /** Addresses of all three. */
  readonly url: string;
  readonly names: readonly string[];
  /** The address of one server. */
  urlOf(name: string): string;
  readonly passwordOf: (user: string) => string;
  /** Resolves when every server is. Other tests may use both cores, so it waits for a minute. */
  allHealthy(): Promise<void>;
  /** `kill -9`. */
  kill(name: string): Promise<void>;
  /** An orderly stop: SIGTERM. */
  end(name: string): Promise<void>;
  /** Lame duck mode, as `nats-server --signal ldm` begins it. Resolves when the server has ended. */
  lameDuck(name: string): Promise<void>;
  pidOf(name: string): number;
  /** Starts a killed server again. Resolves when it accepts clients, perhaps before JetStream answers. */
  start(name: string): Promise<void>;
  tlsUseOf(name: string): Promise<TlsUse>;
  /** For this long, no byte passes between this server and the others. Clients reach it. */
  isolate(name: string, forMs: number): Promise<void>;
  stop(): Promise<void>;
}

const names = ['nats-0', 'nats-1', 'nats-2'] as const;
const passwordOf = (user: string): string => `password${user.replaceAll(/[^a-z]/gi, '')}`;

/** A nats-server of 2.12 or later: that of the tests, or else the one that `npm test` unpacks. 2.9 loses replicas and cannot move streams. */
export const newNatsProgram = async (): Promise<string> => {
  const own = await findBinary('nats-server');
  const { stdout } = await promisify(execFile)(own, ['--version'], { timeout: 10_000 });
  const [, minor = '0'] = /v2\.(\d+)/.exec(stdout) ?? [];
  return Number(minor) >= 12 ? own : findBinary('sid/nats-server');
};

interface Addresses {
  readonly port: number;
  readonly monitor: number;
  readonly route: number;
}

/** Other users than those of `deploy/nats/users.conf`, such as those for several partitions. */
type AccountsOf = (passwordOf: (user: string) => string) => Readonly<Record<string, NatsAccount>>;

/** `tls`: with the certificate of `testTls`, which is also that of the authority's clients. `verified`: clients need one, too. */
export type ClusterTls = 'none' | 'tls' | 'verified';

export const configuredNatsCluster = async (
  accountsOf?: AccountsOf,
  tls: ClusterTls = 'none',
): Promise<ConfiguredNatsCluster> => {
  const dir = await mkdtemp(join(tmpdir(), 'almanac-test-nats-cluster-'));
  const running = new Map<string, RunningProcess>();
  const addresses = new Map<string, Addresses>();
  for (const name of names)
    addresses.set(name, { port: await freePort(), monitor: await freePort(), route: await freePort() });
  const links = await routeLinks(addresses);
  const stop = async (): Promise<void> => {
    await Promise.all([...running.values()].map((one) => one.stop()));
    await Promise.all(links.map(({ link }) => link.close()));
    await rm(dir, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  const users =
    accountsOf === undefined ? undefined : JSON.stringify(natsAccountsBlock(accountsOf(passwordOf))).slice(1, -1);
  const at = (name: string): Addresses => addresses.get(name) ?? fail(name);
  const start = async (name: string): Promise<void> => {
    running.set(name, await startServer({ dir, name, at: at(name), links, users, tls }));
  };
  const urlOf = (name: string): string => `nats://127.0.0.1:${at(name).port}`;
  try {
    await Promise.all(names.map(start));
  } catch (error) {
    await stop();
    throw error;
  }
  return {
    url: names.map(urlOf).join(','),
    names,
    urlOf,
    passwordOf,
    allHealthy: () =>
      eventually(
        async () => {
          for (const name of names)
            if (!(await answers(at(name).monitor, '/healthz'))) throw new Error(`${name} is not healthy`);
        },
        { timeoutMs: 60_000 },
      ),
    kill: async (name) => {
      const one = running.get(name) ?? fail(name);
      process.kill(one.pid, 'SIGKILL');
      await one.stop();
    },
    end: async (name) => (running.get(name) ?? fail(name)).stop(),
    lameDuck: (name) => endAsLameDuck(running.get(name) ?? fail(name)),
    tlsUseOf: (name) => readTlsUse(at(name).monitor),
    pidOf: (name) => (running.get(name) ?? fail(name)).pid,
    start,
    isolate: async (name, forMs) => {
      await Promise.all(
        links.filter(({ from, to }) => from === name || to === name).map(({ link }) => link.stall(forMs)),
      );
    },
    stop,
  };
};

const endAsLameDuck = async (server: RunningProcess): Promise<void> => {
  const ended = new Promise<void>((resolve) => server.onExit(() => resolve()));
  process.kill(server.pid, 'SIGUSR2');
  await ended;
};

const fail = (name: string): never => {
  throw new Error(`${name} is no server of the cluster`);
};

interface RouteLink {
  readonly from: string;
  readonly to: string;
  readonly link: TcpLink;
}

/** A link for each direction, so that one server can be cut off from both others. */
const routeLinks = async (addresses: ReadonlyMap<string, Addresses>): Promise<RouteLink[]> => {
  const pairs = names.flatMap((from) => names.filter((to) => to !== from).map((to) => ({ from, to })));
  return Promise.all(
    pairs.map(async ({ from, to }) => {
      const link = await tcpLink();
      link.leadTo(addresses.get(to)?.route ?? fail(to));
      return { from, to, link };
    }),
  );
};

interface StartOptions {
  readonly dir: string;
  readonly name: string;
  readonly at: Addresses;
  readonly links: readonly RouteLink[];
  readonly users: string | undefined;
  readonly tls: ClusterTls;
}

const startServer = async ({ dir, name, at, links, users, tls }: StartOptions): Promise<RunningProcess> => {
  const folder = join(dir, `${name}-config`);
  const variables = await writeClusterConfig({ folder, data: join(dir, name), ...at, users });
  const routes = links
    .filter(({ from }) => from === name)
    .map(({ link }) => `nats-route://route:${passwordOf('cluster')}@127.0.0.1:${link.port}`);
  return startProcess({
    name,
    command: await newNatsProgram(),
    args: ['-c', join(folder, tls === 'none' ? 'cluster.conf' : 'cluster-tls.conf')],
    env: {
      ...process.env,
      ...Object.fromEntries(
        variables.map((variable) => [variable, passwordOf(variable.replace('NATS_PASSWORD_', '').toLowerCase())]),
      ),
      POD_NAME: name,
      NATS_CLUSTER_PASSWORD: passwordOf('cluster'),
      NATS_ROUTES: `[${routes.join(', ')}]`,
      NATS_TLS_VERIFY: String(tls === 'verified'),
    },
    logFile: join(dir, `${name}.log`),
    readyTimeoutMs: 60_000,
    isReady: () => acceptsNatsClients(at.port, name),
  });
};

interface TlsUse {
  /** The release of TLS of each client's connection, and null for one without TLS. */
  readonly clients: readonly (string | null)[];
  /** Whether other servers need TLS and a certificate. */
  readonly betweenServers: boolean;
}

const clientConnections = z.object({ connections: z.array(z.object({ tls_version: z.string().optional() })) });
const clusterSettings = z.object({ cluster: z.object({ tls_required: z.boolean(), tls_verify: z.boolean() }) });

const readTlsUse = async (port: number): Promise<TlsUse> => {
  const read = async (path: string): Promise<unknown> => (await fetch(`http://127.0.0.1:${port}/${path}`)).json();
  const { connections } = clientConnections.parse(await read('connz'));
  const { cluster } = clusterSettings.parse(await read('varz'));
  return {
    clients: connections.map(({ tls_version: version }) => version ?? null),
    betweenServers: cluster.tls_required && cluster.tls_verify,
  };
};

const answers = async (port: number, path: string): Promise<boolean> => {
  try {
    const answer = await fetch(`http://127.0.0.1:${port}${path}`, { signal: AbortSignal.timeout(1_000) });
    await answer.body?.cancel();
    return answer.ok;
  } catch {
    return false;
  }
};
