import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createConnection } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findBinary, freePort, type RunningProcess, startProcess } from '@almanac/local';
import { connectRedis, redisRulesOf } from '@almanac/redis';
import { createHealth, createLogger } from '@almanac/runtime';
import { eventually, testTls } from '@almanac/testing';

/** Several servers in one temporary folder. */
export interface RedisServers {
  readonly url: string;
  stop(): Promise<void>;
}

interface RedisNode extends RunningProcess {
  readonly port: number;
  readonly tls: boolean;
}

interface NodeOptions {
  readonly folder: string;
  readonly lines: readonly string[];
  readonly sentinel?: boolean;
  readonly tls?: boolean;
}

const startNode = async ({ folder, lines, sentinel = false, tls = false }: NodeOptions): Promise<RedisNode> => {
  const port = await freePort();
  const dir = join(folder, String(port));
  await mkdir(dir, { recursive: true });
  const configFile = join(dir, 'redis.conf');
  const ports = tls ? ['port 0', `tls-port ${port}`, ...tlsLines] : [`port ${port}`];
  const own = ['bind 127.0.0.1', ...ports, `dir ${dir}`, ...(sentinel ? [] : ['save ""', 'appendonly no'])];
  await writeFile(configFile, [...own, ...lines, ''].join('\n'));
  const running = await startProcess({
    name: 'redis-server',
    command: await findBinary('redis-server'),
    args: [configFile, ...(sentinel ? ['--sentinel'] : [])],
    port,
    logFile: join(dir, 'log'),
    isReady: () => accepts(port),
  });
  return { ...running, port, tls };
};

/** Servers also connect to each other with TLS. Clients show no certificate. */
const tlsLines = [
  `tls-cert-file ${testTls.certificate}`,
  `tls-key-file ${testTls.key}`,
  `tls-ca-cert-file ${testTls.authority}`,
  'tls-auth-clients no',
  'tls-replication yes',
  'tls-cluster yes',
];

const accepts = async (port: number): Promise<boolean> => {
  const socket = createConnection({ host: '127.0.0.1', port });
  try {
    await once(socket, 'connect', { signal: AbortSignal.timeout(1_000) });
    return true;
  } catch {
    return false;
  } finally {
    socket.destroy();
  }
};

const inFolder = async <T>(start: (folder: string, nodes: RedisNode[]) => Promise<T>) => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-test-redis-'));
  const nodes: RedisNode[] = [];
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    return { ...(await start(folder, nodes)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Sends one command as a user with all rights. */
const commandAt = async (
  { port, tls = false }: { port: number; tls?: boolean },
  login: string,
  ...words: string[]
): Promise<unknown> => {
  const redis = connectRedis({
    config: { REDIS_URL: `${schemeOf(tls)}://${login}127.0.0.1:${port}`, ...authorityOf(tls) },
    runtime: { log: createLogger('test', 'silent'), health: createHealth() },
    without: 'the test fails',
  });
  const [name = '', ...rest] = words;
  try {
    return await eventually(async () => redis.call(name, ...rest));
  } finally {
    redis.disconnect();
  }
};

const schemeOf = (tls: boolean): string => (tls ? 'rediss' : 'redis');
const authorityOf = (tls: boolean) => (tls ? { REDIS_CA: readFileSync(testTls.authority, 'utf8') } : {});

const slots = 16_384;

/** Whether the servers accept only TLS. Clients then need `REDIS_CA`. */
interface ServersOptions {
  readonly tls?: boolean;
}

/** A Redis Cluster of three masters. `user` and `password` are a login with the rights of a gateway. */
export const startRedisCluster = async (
  login: { user: string; password: string },
  { tls = false }: ServersOptions = {},
): Promise<RedisServers> =>
  inFolder(async (folder, nodes) => {
    for (let n = 0; n < 3; n += 1) {
      const lines = ['cluster-enabled yes', `cluster-port ${await freePort()}`];
      nodes.push(await startNode({ folder, lines: [...lines, gatewayLine(login)], tls }));
    }
    const [first] = nodes;
    if (first === undefined) throw new Error('a cluster has nodes');
    for (const [n, node] of nodes.entries()) {
      const [from, to] = [n, n + 1].map((part) => Math.ceil((part * slots) / nodes.length));
      await commandAt(node, '', 'CLUSTER', 'ADDSLOTSRANGE', String(from), String((to ?? slots) - 1));
      const [, busPort] = /^\S+ \S*:\d+@(\d+)/.exec(String(await commandAt(node, '', 'CLUSTER', 'NODES'))) ?? [];
      if (node !== first) await commandAt(first, '', 'CLUSTER', 'MEET', '127.0.0.1', String(node.port), busPort ?? '');
    }
    for (const node of nodes) {
      await eventually(
        async () => {
          const info = String(await commandAt(node, '', 'CLUSTER', 'INFO'));
          if (!/cluster_state:ok[^]*cluster_known_nodes:3/.test(info)) throw new Error(info);
        },
        { timeoutMs: 60_000 },
      );
    }
    return { url: `${schemeOf(tls)}+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}` };
  });

const gatewayLine = ({ user, password }: { user: string; password: string }): string =>
  `user ${user} on >${password} ${redisRulesOf('gateway').join(' ')}`;

export interface RedisWithSentinels extends RedisServers {
  /** Waits until the replica has everything, and kills the primary. */
  killPrimary(): Promise<void>;
  /** Begins a failover from a primary that works, and ends the connections of its clients before that is announced. */
  beginSwitch(): Promise<void>;
}

/** As docs/deploy.md describes them. */
const sentinelRules =
  'allchannels +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill';
const replicaRules = '+psync +replconf +ping';

/** A primary, a replica and three Sentinels, which take a second to notice that a server is gone. */
export const startRedisWithSentinels = async (
  login: { user: string; password: string },
  { tls = false }: ServersOptions = {},
): Promise<RedisWithSentinels> =>
  inFolder(async (folder, nodes) => {
    const users = [
      'user default off',
      gatewayLine(login),
      'user operator on >operator ~* &* +@all',
      `user sentinel on >sentinel ${sentinelRules}`,
      `user replica on >replica ${replicaRules}`,
      'masteruser replica',
      'masterauth replica',
      'repl-diskless-sync-delay 0',
    ];
    const primary = await startNode({ folder, lines: users, tls });
    nodes.push(primary);
    const replica = await startNode({ folder, lines: [...users, `replicaof 127.0.0.1 ${primary.port}`], tls });
    nodes.push(replica);
    const operator = 'operator:operator@';
    await replicates(() => commandAt(replica, operator, 'INFO', 'replication'), /master_link_status:up/);
    const sentinels = await Promise.all(
      [1, 2, 3].map(() => startNode({ folder, lines: sentinelLines(primary.port), sentinel: true, tls })),
    );
    nodes.push(...sentinels);
    for (const sentinel of sentinels) {
      const text = async (): Promise<string> => JSON.stringify(await commandAt(sentinel, '', 'SENTINEL', 'MASTERS'));
      await replicates(text, /"num-slaves","1","num-other-sentinels","2"/);
    }
    const killPrimary = async (): Promise<void> => {
      process.kill(primary.pid, 'SIGKILL');
      await primary.stop();
    };
    const beginSwitch = async (): Promise<void> => {
      for (const sentinel of sentinels.slice(-1)) await commandAt(sentinel, '', 'SENTINEL', 'FAILOVER', 'main');
      await commandAt(primary, operator, 'CLIENT', 'KILL', 'TYPE', 'normal');
    };
    const hosts = sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',');
    return { url: `${schemeOf(tls)}+sentinel://${hosts}/main`, killPrimary, beginSwitch };
  });

const replicates = (text: () => Promise<unknown>, pattern: RegExp): Promise<void> =>
  eventually(
    async () => {
      const found = String(await text());
      if (!pattern.test(found)) throw new Error(found);
    },
    { timeoutMs: 60_000 },
  );

const sentinelLines = (primaryPort: number): string[] => [
  `sentinel monitor main 127.0.0.1 ${primaryPort} 2`,
  'sentinel auth-user main sentinel',
  'sentinel auth-pass main sentinel',
  'sentinel down-after-milliseconds main 1000',
  'sentinel failover-timeout main 10000',
];

/** One server that accepts only TLS. */
export const startRedisWithTls = async (login: { user: string; password: string }): Promise<RedisServers> =>
  inFolder(async (folder, nodes) => {
    const node = await startNode({ folder, lines: ['user default off', gatewayLine(login)], tls: true });
    nodes.push(node);
    return { url: `rediss://127.0.0.1:${node.port}` };
  });
