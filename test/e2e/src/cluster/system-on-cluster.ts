import { mkdir } from 'node:fs/promises';
import { type AdminBus, connectBus } from '@almanac/bus';
import { type ProcessName, processNames, type UserName } from '@almanac/contracts';
import type { ServerStarters } from '@almanac/local-servers';
import { type ClusterTls, type ConfiguredNatsCluster, configuredNatsCluster } from '@almanac/testing';
import { startHarness, type SystemHarness } from '../harness.js';
import { withElections } from './elections.js';

const replicas = 3;

/** The whole system on three nats-servers with the shipped configuration. Every process knows all three, as in production. */
export interface SystemOnCluster {
  readonly running: SystemHarness;
  readonly cluster: ConfiguredNatsCluster;
  /** The caller closes the connection. */
  connect(user: UserName): Promise<AdminBus>;
}

type Environment = Partial<Record<ProcessName, NodeJS.ProcessEnv>>;

export interface OnClusterOptions {
  readonly gateways: number;
  /** The other servers. */
  readonly servers: ServerStarters;
  readonly environment: Environment;
}

export const startOnCluster = async ({
  gateways,
  servers,
  environment,
}: OnClusterOptions): Promise<SystemOnCluster> => {
  const { nats, cluster } = clusterStarter();
  const running = await startHarness({
    gateways,
    environment: withReplicas(environment),
    servers: { ...servers, nats },
  });
  const { secrets } = running.system;
  return {
    running,
    cluster: cluster(),
    connect: (user) => connectBus({ url: cluster().url, user, password: secrets.nats[user], replicas }),
  };
};

/** The environment of services that make replicated streams. */
export const withReplicas = (environment: Environment): Environment =>
  Object.fromEntries(processNames.map((name) => [name, { NATS_REPLICAS: String(replicas), ...environment[name] }]));

/** Starts three nats-servers where a system would start one. `cluster` throws before. */
export const clusterStarter = (
  tls: ClusterTls = 'none',
): Pick<ServerStarters, 'nats'> & { cluster: () => ConfiguredNatsCluster } => {
  let started: ConfiguredNatsCluster | undefined;
  const cluster = (): ConfiguredNatsCluster => {
    if (started === undefined) throw new Error('the system has started no nats-server');
    return started;
  };
  const nats: ServerStarters['nats'] = async ({ dir, accounts = {} }) => {
    // The services look at the space of this folder.
    await mkdir(dir, { recursive: true });
    const nodes = (started ??= await configuredNatsCluster(() => withElections(accounts), tls));
    await nodes.allHealthy();
    const [first = ''] = nodes.names;
    return {
      url: nodes.url,
      port: Number(new URL(nodes.urlOf(first)).port),
      pid: nodes.pidOf(first),
      stop: () => nodes.stop(),
      onExit: () => undefined,
    };
  };
  return { nats, cluster };
};
