import { setTimeout as delay } from 'node:timers/promises';
import type { System } from '@almanac/operator';
import { type ConfiguredNatsCluster, eventually } from '@almanac/testing';
import { electLeader } from '../cluster/elections.js';
import { slowDown } from '../cluster/lose-server.js';
import type { ServiceClocks } from './clock-steps.js';
import type { FaultSet } from './fault-injector.js';
import type { FaultLog } from './fault-log.js';
import { oneOf } from './retry.js';

/** Streams of events and of heartbeats, which three servers have. */
const elected = [
  'EVT_KEYS',
  'EVT_EXPORT',
  'EVT_FILE',
  'EVT_CATALOG',
  'EVT_COMMERCE',
  'EVT_STRIPE',
  'EVT_ARCHIVE',
  'EVT_WEBHOOK',
] as const;
/** A clock that is set by hand, or by NTP after a virtual machine was paused. */
const stepMsMax = 5_000;

export interface RollingTargets {
  readonly system: System;
  readonly cluster: ConfiguredNatsCluster;
  readonly clocks: ServiceClocks;
  readonly random: () => number;
  readonly log: FaultLog;
  /** Gets the name of each fault when it begins. */
  readonly note: (fault: string) => void;
}

/**
 * What an operator expects nobody to notice, in two groups that overlap: of the services (rolling restarts, steps of a
 * clock), and of the nats-servers (elections, a partition, a slow disk), one at a time.
 */
export const rollingFaults = (targets: RollingTargets): FaultSet[] => [
  { ...restarts(targets), ...steps(targets) },
  { ...elections(targets), ...slowServers(targets) },
];

const named = ({ log, note }: RollingTargets, name: string, act: () => Promise<void>): FaultSet => ({
  [name]: () => {
    note(name);
    return log.run(name, act);
  },
});

/** A second process of a service starts before the first one ends. A gateway has a fixed port, so the other one serves meanwhile. */
const restarts = (targets: RollingTargets): FaultSet => {
  const { system } = targets;
  const replace = (name: string) => async (): Promise<void> => {
    if (!name.startsWith('gateway')) return system.replace(name);
    await system.end(name);
    await eventually(() => system.restart(name), { timeoutMs: 120_000 });
  };
  return Object.assign(
    {},
    ...[...system.services.keys()].map((name) => named(targets, `rolling-restart ${name}`, replace(name))),
  ) as FaultSet;
};

const steps = (targets: RollingTargets): FaultSet => {
  const { system, clocks, random } = targets;
  const step = (name: string) => async (): Promise<void> => {
    const pid = system.services.get(name)?.pid;
    if (pid === undefined) throw new Error(`${name} does not run`);
    await clocks.step(pid, Math.round((random() * 2 - 1) * stepMsMax), 500 + random() * 3_000);
  };
  return Object.assign(
    {},
    ...[...system.services.keys()].map((name) => named(targets, `clock-step ${name}`, step(name))),
  ) as FaultSet;
};

const elections = (targets: RollingTargets): FaultSet =>
  Object.assign(
    {},
    ...elected.map((stream) =>
      named(targets, `election ${stream}`, () =>
        eventually(() => electLeader(targets.cluster, stream), { timeoutMs: 120_000 }),
      ),
    ),
  ) as FaultSet;

const slowServers = (targets: RollingTargets): FaultSet => {
  const { cluster, random } = targets;
  const lose = (act: (name: string) => Promise<void>) => async (): Promise<void> => {
    await act(oneOf(targets, cluster.names));
    await cluster.allHealthy();
    await delay(500);
  };
  return {
    ...named(
      targets,
      'partition of a nats-server',
      lose((name) => cluster.isolate(name, 1_000 + random() * 5_000)),
    ),
    ...named(
      targets,
      'slow-disk of a nats-server',
      lose((name) => slowDown(() => cluster.pidOf(name), 1_000 + random() * 4_000)),
    ),
  };
};
