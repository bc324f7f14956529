import { readFileSync } from 'node:fs';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { connect as connectTls } from 'node:tls';
import { findBinary, freePort, type RunningProcess, startProcess } from '@almanac/local-servers';
import { redisRulesOf } from '@almanac/redis';
import { eventually, testTls } from '@almanac/testing';

/** Several servers in one temporary folder. */
export interface RedisServers {
  readonly url: string;
  stop(): Promise<void>;
}

export interface RedisWithSentinels extends RedisServers {
  /** `kill -9`. */
  killPrimary(): Promise<void>;
  /** Begins a failover from a primary that works, and ends the connections of its clients before that is announced. */
  beginSwitch(): Promise<void>;
}

/** `login` has the rights of a gateway. With `tls`, servers accept only TLS, and clients need `REDIS_CA`. */
interface ServersOptions {
  readonly login: { readonly user: string; readonly password: string };
  readonly tls?: boolean;
}

interface RedisNode extends RunningProcess {
  readonly port: number;
}

type StartNode = (lines: readonly string[], ...more: string[]) => Promise<RedisNode>;
/** Sends inline commands, and returns everything that a server answers. */
type Ask = (port: number, ...commands: string[]) => Promise<string>;

const slots = 16_384;

/** A Redis Cluster of three masters. */
export const startRedisCluster = ({ login, tls = false }: ServersOptions): Promise<RedisServers> =>
  withServers(tls, async (startNode, ask) => {
    const buses = [await freePort(), await freePort(), await freePort()];
    const nodes = await Promise.all(
      buses.map((bus) => startNode(['cluster-enabled yes', `cluster-port ${bus}`, gatewayLine(login)])),
    );
    const [first] = nodes;
    if (first === undefined) throw new Error('a cluster has nodes');
    for (const [n, { port }] of nodes.entries()) {
      const [from = 0, to = slots] = [n, n + 1].map((part) => Math.ceil((part * slots) / nodes.length));
      await ask(port, `CLUSTER ADDSLOTSRANGE ${from} ${to - 1}`);
      await ask(first.port, `CLUSTER MEET 127.0.0.1 ${port} ${buses[n]}`);
    }
    for (const { port } of nodes)
      await answers(() => ask(port, 'CLUSTER INFO'), /cluster_state:ok[^]*cluster_known_nodes:3/);
    return { url: `${schemeOf(tls)}+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}` };
  });

/** As docs/deploy.md describes them. */
const sentinelRules =
  'allchannels +multi +slaveof +ping +exec +subscribe +config|rewrite +role +publish +info +client|setname +client|kill +script|kill';
const replicaRules = '+psync +replconf +ping';

/** A primary, a replica and three Sentinels, which take a second to notice that a server is gone. */
export const startRedisWithSentinels = ({ login, tls = false }: ServersOptions): Promise<RedisWithSentinels> =>
  withServers(tls, async (startNode, ask) => {
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
    const primary = await startNode(users);
    const replica = await startNode([...users, `replicaof 127.0.0.1 ${primary.port}`]);
    const asOperator = (port: number, command: string) => ask(port, 'AUTH operator operator', command);
    await answers(() => asOperator(replica.port, 'INFO replication'), /master_link_status:up/);
    const sentinels = await Promise.all([1, 2, 3].map(() => startNode(sentinelLines(primary.port), '--sentinel')));
    for (const { port } of sentinels)
      await answers(() => ask(port, 'SENTINEL MASTERS'), /num-slaves\s+\$1\s+1\s[^]*num-other-sentinels\s+\$1\s+2\s/);
    return {
      url: `${schemeOf(tls)}+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/main`,
      killPrimary: async () => {
        process.kill(primary.pid, 'SIGKILL');
        await primary.stop();
      },
      beginSwitch: async () => {
        await ask(sentinels.at(-1)?.port ?? 0, 'SENTINEL FAILOVER main');
        await asOperator(primary.port, 'CLIENT KILL TYPE normal');
      },
    };
  });

const sentinelLines = (primaryPort: number): string[] => [
  `sentinel monitor main 127.0.0.1 ${primaryPort} 2`,
  'sentinel auth-user main sentinel',
  'sentinel auth-pass main sentinel',
  'sentinel down-after-milliseconds main 1000',
  'sentinel failover-timeout main 10000',
];

/** One server that accepts only TLS. */
export const startRedisWithTls = ({ login }: ServersOptions): Promise<RedisServers> =>
  withServers(true, async (startNode) => {
    const { port } = await startNode(['user default off', gatewayLine(login)]);
    return { url: `rediss://127.0.0.1:${port}` };
  });

const gatewayLine = ({ user, password }: ServersOptions['login']): string =>
  `user ${user} on >${password} ${redisRulesOf('gateway').join(' ')}`;

const schemeOf = (tls: boolean): string => (tls ? 'rediss' : 'redis');

/** Servers also connect to each other with TLS. Clients show no certificate. */
const tlsLines = [
  `tls-cert-file ${testTls.certificate}`,
  `tls-key-file ${testTls.key}`,
  `tls-ca-cert-file ${testTls.authority}`,
  'tls-auth-clients no',
  'tls-replication yes',
  'tls-cluster yes',
];

/** Gives `start` what starts and asks servers. Whatever was started ends with `stop`, or when `start` fails. */
const withServers = async <T>(
  tls: boolean,
  start: (startNode: StartNode, ask: Ask) => Promise<T>,
): Promise<T & { stop(): Promise<void> }> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-test-redis-'));
  const nodes: RedisNode[] = [];
  const ask: Ask = async (port, ...commands) => {
    const to = { port, host: '127.0.0.1' };
    const socket = tls ? connectTls({ ...to, ca: readFileSync(testTls.authority) }) : connect(to);
    socket.end(commands.map((command) => `${command}\r\n`).join(''));
    return text(socket);
  };
  const startNode: StartNode = async (lines, ...more) => {
    const port = await freePort();
    const dir = join(folder, String(port));
    await mkdir(dir);
    const configuration = join(dir, 'redis.conf');
    const ports = tls ? ['port 0', `tls-port ${port}`, ...tlsLines] : [`port ${port}`];
    const stored = more.length === 0 ? ['save ""', 'appendonly no'] : [];
    await writeFile(configuration, ['bind 127.0.0.1', ...ports, `dir ${dir}`, ...stored, ...lines, ''].join('\n'));
    const running = await startProcess({
      name: 'redis-server',
      command: await findBinary('redis-server'),
      args: [configuration, ...more],
      port,
      logFile: join(dir, 'log'),
      isReady: async () => (await ask(port, 'PING').catch(() => '')) !== '',
    });
    const node = { ...running, port };
    nodes.push(node);
    return node;
  };
  const stop = async (): Promise<void> => {
    await Promise.all(nodes.map((node) => node.stop()));
    await rm(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
  };
  try {
    return { ...(await start(startNode, ask)), stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

const answers = (ask: () => Promise<string>, pattern: RegExp): Promise<void> =>
  eventually(
    async () => {
      const answer = await ask();
      if (!pattern.test(answer)) throw new Error(answer);
    },
    { timeoutMs: 60_000 },
  );
