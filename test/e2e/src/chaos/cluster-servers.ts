import type { ConfiguredNatsCluster, KillableServers } from '@almanac/testing';
import { eventually, killableServers } from '@almanac/testing';
import { setTimeout as delay } from 'node:timers/promises';
import { clusterStarter } from '../cluster/system-on-cluster.js';

export interface ClusterServers extends KillableServers {
  /** Throws before it is started. */
  readonly cluster: () => ConfiguredNatsCluster;
}

/**
 * Servers that a test can kill, with three nats-servers in place of one: a kill and a restart concern one of them in turn, a
 * kill without a restart all three.
 */
export const clusterServers = async (): Promise<ClusterServers> => {
  const others = await killableServers();
  const { nats, cluster } = clusterStarter();
  let turn = 0;
  const next = (): string => {
    const { names } = cluster();
    turn += 1;
    return names[turn % names.length] ?? '';
  };
  const startAgain = async (names: readonly string[]): Promise<void> => {
    await Promise.all(names.map((name) => eventually(() => cluster().start(name), { timeoutMs: 120_000 })));
    await cluster().allHealthy();
  };
  return {
    cluster,
    starters: { ...others.starters, nats },
    kill: async (name) => {
      if (name !== 'nats') return others.kill(name);
      await Promise.all(cluster().names.map((one) => cluster().kill(one)));
    },
    killAndRestart: async (name, downMs) => {
      if (name !== 'nats') return others.killAndRestart(name, downMs);
      const one = next();
      await cluster().kill(one);
      await delay(downMs);
      await startAgain([one]);
    },
    startAgain: (name) => (name === 'nats' ? startAgain(cluster().names) : others.startAgain(name)),
    pidOf: (name) => (name === 'nats' ? cluster().pidOf(next()) : others.pidOf(name)),
  };
};
