import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@almanac/operator';
import {
  type ConfiguredNatsCluster,
  eventually,
  type KillableServers,
  type ServerName,
  suspendProcess,
  type TcpLink,
} from '@almanac/testing';
import { type Loss, losses, loseServer } from '../cluster/lose-server.js';
import type { FaultLog } from './fault-log.js';
import { type FaultSet, killFaults } from './fault-injector.js';
import type { OwnDisk } from './own-disk.js';
import { oneOf } from './retry.js';

const serverNames: readonly ServerName[] = ['nats', 'redis', 'clickhouse', 's3'];
const downMsMax = 2_000;
const fullMs = 4_000;

export interface FaultTargets {
  readonly system: System;
  readonly servers: KillableServers;
  readonly links: ReadonlyMap<string, TcpLink>;
  /** Undefined: the system has one nats-server. */
  readonly cluster: ConfiguredNatsCluster | undefined;
  /** Undefined for an ordinary user, who can mount none. */
  readonly disk: OwnDisk | undefined;
  readonly random: () => number;
  readonly log: FaultLog;
  /** Resolves when changes and reads work. */
  readonly isServed: () => Promise<void>;
}

/**
 * Two groups, whose faults overlap: of the services, and of the servers, links and the disk. Once in each round of the
 * first, everything is killed together.
 */
export const everyFault = (targets: FaultTargets): FaultSet[] => {
  const { system, log } = targets;
  const alone = mutex();
  const kill = killFaults(system, targets.random);
  const kills = Object.assign({}, ...[...system.services.keys()].map((name) => kill(name))) as FaultSet;
  const logged = ([name, act]: [string, () => Promise<void>]) => [name, () => log.run(name, act)] as const;
  return [
    {
      ...Object.fromEntries(Object.entries(kills).map(logged)),
      'freeze a service': () => freezeService(targets),
      'freeze another service': () => freezeService(targets),
      restart: () => alone(() => log.run('restart of everything', () => killEverything(targets))),
    },
    Object.fromEntries(Object.entries(serverFaults(targets)).map(([name, act]) => [name, () => alone(act)])),
  ];
};

const serverFaults = (targets: FaultTargets): FaultSet => {
  const { servers, random, log, links } = targets;
  const kills = serverNames.map((name) => {
    const act = () => servers.killAndRestart(name, random() * downMsMax);
    return [`kill ${name}`, () => log.run(`kill ${name}`, act)] as const;
  });
  const linkFault = (kind: string, act: (link: TcpLink, ms: number) => Promise<void>) => () => {
    const [name, link] = oneOf(targets, [...links]);
    return log.run(`${kind} ${name}`, () => act(link, 500 + random() * 6_000));
  };
  return {
    ...Object.fromEntries(kills),
    'freeze a server': () => freezeServer(targets),
    'freeze another server': () => freezeServer(targets),
    'cut a link': linkFault('cut', (link, ms) => link.cut(ms)),
    'stall a link': linkFault('stall', (link, ms) => link.stall(ms)),
    'slow a link': linkFault('slow', (link, ms) => link.slow(ms, 20 + random() * 200)),
    ...(targets.cluster === undefined ? {} : clusterFaults(targets, targets.cluster)),
    ...(targets.disk === undefined ? {} : { 'fill the disk': () => fillDisk(targets, targets.disk) }),
  };
};

/** A server of the cluster is lost in every way, and comes back. */
const clusterFaults = (targets: FaultTargets, cluster: ConfiguredNatsCluster): FaultSet =>
  Object.fromEntries(
    Object.keys(losses).map((loss) => {
      const act = () => loseServer(cluster, loss as Loss, oneOf(targets, cluster.names));
      return [`${loss} of a nats-server`, () => targets.log.run(`${loss.replaceAll(' ', '-')} nats`, act)];
    }),
  );

const freezeMs = ({ random }: FaultTargets): number => 500 + random() * 6_000;

const freezeService = (targets: FaultTargets): Promise<void> => {
  const name = oneOf(targets, [...targets.system.services.keys()]);
  const pid = targets.system.services.get(name)?.pid;
  return targets.log.run(`freeze ${name}`, () => freeze(pid, freezeMs(targets)));
};

const freezeServer = (targets: FaultTargets): Promise<void> => {
  const name = oneOf(targets, serverNames);
  return targets.log.run(`freeze ${name}`, () => freeze(targets.servers.pidOf(name), freezeMs(targets)));
};

const freeze = async (pid: number | undefined, forMs: number): Promise<void> => {
  if (pid === undefined) throw new Error('the process to freeze does not run');
  const resume = await suspendProcess(pid);
  try {
    await delay(forMs);
  } finally {
    resume();
  }
};

/** All processes end at the same moment, as when the machine loses power. The client and the test stay. */
const killEverything = async ({ system, servers, disk }: FaultTargets): Promise<void> => {
  const services = [...system.services.keys()];
  await Promise.all([...services.map((name) => system.kill(name)), ...serverNames.map((name) => servers.kill(name))]);
  await disk?.dropPageCache();
  await Promise.all(serverNames.map((name) => servers.startAgain(name)));
  await Promise.all(services.map((name) => eventually(() => system.restart(name), { timeoutMs: 120_000 })));
};

const fillDisk = async ({ log, isServed }: FaultTargets, disk: OwnDisk | undefined): Promise<void> => {
  await log.run('fill the disk', async () => {
    const free = await disk?.fill();
    await delay(fullMs);
    await free?.();
  });
  // nats-server may have to be restarted by the supervisor, and nothing else may kill it meanwhile.
  await isServed();
};

/** Runs acts one after another. */
const mutex = () => {
  let last: Promise<unknown> = Promise.resolve();
  return (act: () => Promise<void>): Promise<void> => {
    const next = last.then(act);
    last = next.catch(() => undefined);
    return next;
  };
};
