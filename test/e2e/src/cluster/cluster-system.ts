import { randomUUID } from 'node:crypto';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type AdminBus, connectBus, ensureStream } from '@almanac/bus';
import type { ProcessName, UserName } from '@almanac/contracts';
import { redisRulesOf } from '@almanac/redis';
import { createAccount, type RunningService, startServiceProcess } from '@almanac/operator';
import { type ConfiguredNatsCluster, configuredNatsCluster, eventually, freePort, testRedis } from '@almanac/testing';

const replicas = 3;
/** Other tests may use both cores. */
export const waitMs = 60_000;

/**
 * A cluster of three nats-servers with the shipped configuration, and at each of them a gateway and a process of the keys
 * service.
 */
export interface ClusterSystem {
  readonly cluster: ConfiguredNatsCluster;
  readonly gateways: readonly string[];
  /** Why services ended. None should. */
  readonly ended: readonly string[];
  connect(user: UserName): Promise<AdminBus>;
  /** Opens an account. Returns its key. */
  key(): Promise<string>;
  stop(): Promise<void>;
}

/** `own`: gateways and keys services know one server each, so each side of a partition has both. `all`: as in production. */
export type KnownServers = 'own' | 'all';

export const startClusterSystem = async (known: KnownServers = 'own'): Promise<ClusterSystem> => {
  const home = await mkdtemp(join(tmpdir(), 'almanac-cluster-system-'));
  const stops: (() => Promise<void>)[] = [
    () => rm(home, { recursive: true, force: true, maxRetries: 5, retryDelay: 200 }),
  ];
  const stop = async (): Promise<void> => {
    for (const end of stops.splice(0).toReversed()) await end();
  };
  try {
    const cluster = await configuredNatsCluster();
    stops.push(() => cluster.stop());
    const connect = async (user: UserName): Promise<AdminBus> => {
      const bus = await connectBus({ url: cluster.url, user, password: cluster.passwordOf(user), replicas });
      stops.push(() => bus.close());
      return bus;
    };
    await cluster.allHealthy();
    await makeStreams(connect);
    const { gateways, services } = await startServices({ home, cluster, known, onStop: (end) => stops.push(end) });
    const ended: string[] = [];
    for (const service of services) service.onExit(({ message }) => ended.push(message));
    const operator = await connect('operator');
    const key = async (): Promise<string> => (await createAccount(operator, { plan: 'internal', keyName: 'test' })).key;
    return { cluster, gateways, ended, connect, key, stop };
  } catch (error) {
    await stop();
    throw error;
  }
};

/** Those of services that do not run here. */
const makeStreams = async (connect: ClusterSystem['connect']): Promise<void> => {
  const [catalog, exporting] = [await connect('catalog'), await connect('export')];
  for (const [bus, stream] of [
    [catalog, 'EVT_ARCHIVE'],
    [catalog, 'EVT_CATALOG'],
    [exporting, 'EVT_EXPORT'],
    [exporting, 'EVT_FILE'],
  ] as const)
    await eventually(() => ensureStream(bus, stream), { timeoutMs: waitMs });
};

interface StartOptions {
  readonly home: string;
  readonly cluster: ConfiguredNatsCluster;
  readonly known: KnownServers;
  readonly onStop: (stop: () => Promise<void>) => void;
}

const startServices = async ({ home, cluster, known, onStop }: StartOptions) => {
  const users = (['gateway', 'keys'] as const).map((user) => ({
    user,
    password: randomUUID(),
    rules: redisRulesOf(user),
  }));
  const redis = await testRedis({ users });
  onStop(() => redis.stop());
  const session = randomUUID();
  const environmentOf = (service: ProcessName, url: string): NodeJS.ProcessEnv => ({
    NATS_URL: url,
    NATS_USER: service,
    NATS_PASSWORD: cluster.passwordOf(service),
    NATS_REPLICAS: String(replicas),
    REDIS_URL: redis.address,
    REDIS_USER: service,
    REDIS_PASSWORD: users.find(({ user }) => user === service)?.password ?? '',
    SESSION_SECRET: session,
    // A revoked key would soon get 429 instead of an answer about the key.
    FAILED_KEYS_PER_MINUTE: '0',
  });
  const services: RunningService[] = [];
  const start = async (service: ProcessName, name: string, environment: NodeJS.ProcessEnv): Promise<void> => {
    const stopping = new AbortController().signal;
    const running = await startServiceProcess({ service, name, home, environment, print: () => undefined, stopping });
    onStop(() => running.stop());
    services.push(running);
  };
  await start('commerce', 'commerce', environmentOf('commerce', cluster.url));
  const urlOf = (name: string): string => (known === 'own' ? cluster.urlOf(name) : cluster.url);
  for (const name of cluster.names) await start('keys', `keys-${name}`, environmentOf('keys', urlOf(name)));
  const gateways: string[] = [];
  for (const name of cluster.names) {
    const port = String(await freePort());
    await start('gateway', `gateway-${name}`, { ...environmentOf('gateway', urlOf(name)), PORT: port });
    gateways.push(`http://127.0.0.1:${port}`);
  }
  return { gateways, services };
};
