import { execFile } from 'node:child_process';
import { cp, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
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
import { eventually } from './eventually.js';
import { tcpLink, type TcpLink } from './tcp-link.js';

/** Three servers with `deploy/nats/cluster.conf`. Only addresses, ports and folders are replaced. */
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
  /** For this long, no byte passes between this server and the others. Clients reach it. */
  isolate(name: string, forMs: number): Promise<void>;
  stop(): Promise<void>;
}

const configurationFolder = fileURLToPath(new URL('../../../deploy/nats', import.meta.url));
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

export const configuredNatsCluster = async (accountsOf?: AccountsOf): Promise<ConfiguredNatsCluster> => {
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
  const at = (name: string): Addresses => addresses.get(name) ?? fail(name);
  const start = async (name: string): Promise<void> => {
    running.set(name, await startServer({ dir, name, at: at(name), links }));
  };
  const urlOf = (name: string): string => `nats://127.0.0.1:${at(name).port}`;
  try {
    await cp(configurationFolder, dir, { recursive: true });
    if (accountsOf !== undefined) {
      const block = JSON.stringify(natsAccountsBlock(accountsOf(passwordOf)));
      await writeFile(join(dir, 'users.conf'), block.slice(1, -1));
    }
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

const startServer = async ({
  dir,
  name,
  at,
  links,
}: {
  dir: string;
  name: string;
  at: Addresses;
  links: readonly RouteLink[];
}): Promise<RunningProcess> => {
  const file = join(dir, `${name}.conf`);
  await writeFile(file, await configuration({ data: join(dir, name), at }));
  const users = await readFile(join(dir, 'users.conf'), 'utf8');
  const passwords = [...users.matchAll(/\$(NATS_PASSWORD_([A-Z]+))/g)].map(
    ([, variable = '', user = '']): [string, string] => [variable, passwordOf(user.toLowerCase())],
  );
  const routes = links
    .filter(({ from }) => from === name)
    .map(({ link }) => `nats-route://route:${passwordOf('cluster')}@127.0.0.1:${link.port}`);
  return startProcess({
    name,
    command: await newNatsProgram(),
    args: ['-c', file],
    env: {
      ...process.env,
      ...Object.fromEntries(passwords),
      POD_NAME: name,
      NATS_CLUSTER_PASSWORD: passwordOf('cluster'),
      NATS_ROUTES: `[${routes.join(', ')}]`,
    },
    logFile: join(dir, `${name}.log`),
    readyTimeoutMs: 60_000,
    isReady: () => acceptsNatsClients(at.port, name),
  });
};

/** Each server tells the others its address for routes. There nobody listens, so that routes pass through the links. */
const unusedPort = 9;

const configuration = async ({ data, at }: { data: string; at: Addresses }): Promise<string> => {
  let text = await readFile(join(configurationFolder, 'cluster.conf'), 'utf8');
  const replace = (shipped: string, here: string): void => {
    if (text.split(shipped).length !== 2) throw new Error(`cluster.conf must have ${shipped} once`);
    text = text.replace(shipped, here);
  };
  replace('"0.0.0.0:4222"', `"127.0.0.1:${at.port}"`);
  replace('"0.0.0.0:8222"', `"127.0.0.1:${at.monitor}"`);
  replace('"0.0.0.0:6222"', `"127.0.0.1:${at.route}"\n  advertise: "127.0.0.1:${unusedPort}"`);
  replace('"/data"', JSON.stringify(data));
  return text;
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
