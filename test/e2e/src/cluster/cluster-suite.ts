import assert from 'node:assert/strict';
import { describe, it, type TestContext } from 'node:test';
import type { AdminBus } from '@almanac/bus';
import {
  type Acknowledged,
  type ClusterWriters,
  clusterWriters,
  eachStoredOnce,
  figuresOf,
} from '@almanac/event-store/testing';
import { eventually, seededRandom, testNumber } from '@almanac/testing';
import { apiClient } from '../api.js';
import { type KeyWatch, watchKeys } from '../chaos/key-watch.js';
import { type ClusterSystem, startClusterSystem, waitMs } from './cluster-system.js';

const accounts = 3;
/** For each fault. */
const keysPerFault = 12;
const rotationsAtOnce = 4;
const isolatedMs = 10_000;
/** Streams of key changes, of the proof of a majority, of plans and of appends. The leader of each is a target. */
const targets = ['EVT_KEYS', 'EVT_FILE', 'HEARTBEAT', 'EVT_COMMERCE'] as const;
const userOf = { EVT_KEYS: 'keys', EVT_FILE: 'export', HEARTBEAT: 'keys', EVT_COMMERCE: 'commerce' } as const;
const writtenSubjects = [1, 2, 3, 4].map((n) => `evt.file.written-${n}`);

export interface ClusterChaosOptions {
  readonly kills: number;
  readonly partitions: number;
  readonly seed: number;
  /** How long after its revocation a key may be accepted: the guarantee, or more on a machine that is busy. */
  readonly graceMs: number;
}

/**
 * Creates, uses and revokes keys at three gateways, and appends, while leaders of a cluster are killed and cut off. No
 * acknowledged change is lost, and no gateway accepts a revoked key.
 */
export const clusterRefusesRevokedKeys = (options: ClusterChaosOptions): void => {
  const { kills, partitions } = options;
  const seed = testNumber('seed', options.seed);
  const timeout = (kills + partitions + 3) * 120_000;
  void describe('gateways and the keys service on a cluster of three', { timeout }, () => {
    void it(`accept no revoked key over ${kills} kill -9 of leaders and ${partitions} partitions (--seed ${seed})`, async (test) => {
      const system = await startClusterSystem();
      try {
        await runFaults(system, { ...options, seed }, test);
      } finally {
        await system.stop();
      }
    });
  });
};

const runFaults = async (system: ClusterSystem, options: ClusterChaosOptions, test: TestContext): Promise<void> => {
  const { kills, partitions, graceMs } = options;
  const keys = await Promise.all(Array.from({ length: accounts }, () => system.key()));
  const context = {
    random: seededRandom(options.seed),
    over: new AbortController(),
    counts: { answered: 0, again: 0, doubled: 0 },
    buyers: keys.map((key) => ({ apis: system.gateways.map((url) => apiClient(url, key)) })),
  };
  const buses = [await system.connect('export'), await system.connect('export')];
  const writers = clusterWriters(buses, writtenSubjects);
  const keysMax = keysPerFault * (kills + partitions) + 20;
  const watch = watchKeys(context, system.gateways, { graceMs, keysMax, rotationsAtOnce });
  const next: Record<'kill' | 'partition', number[]> = { kill: [], partition: [] };
  try {
    const leaderOf = await leaders(system);
    for (let n = 0; n < kills + partitions; n += 1) {
      const fault = n < kills ? 'kill' : 'partition';
      next[fault].push(await injectFault(system, { fault, writers, leader: await leaderOf(n) }));
    }
  } finally {
    await writers.stop();
    report(test, { watch, writers, next });
    await watch.stop();
  }
  await eachStoredOnce(writers.acknowledged, buses[0] ?? assert.fail(), 'EVT_FILE');
  assert.deepEqual(system.ended, [], 'services that ended');
  assert.ok(watch.revocations() >= kills + partitions, `${watch.revocations()} revocations`);
};

const report = (
  test: TestContext,
  { watch, writers, next }: { watch: KeyWatch; writers: ClusterWriters; next: Record<string, number[]> },
): void => {
  const { live, revoked } = watch;
  test.diagnostic(JSON.stringify({ live, revoked, revocations: watch.revocations(), latest_ms: watch.latestMs() }));
  test.diagnostic(`${writers.acknowledged.length} appends; ${JSON.stringify(Object.fromEntries(writers.failures))}`);
  for (const [fault, times] of Object.entries(next))
    test.diagnostic(`next acknowledgement after ${times.length} x ${fault}: ${figuresOf(times)}`);
};

/** The name of the server that leads the stream of the nth fault. */
const leaders = async (system: ClusterSystem): Promise<(n: number) => Promise<string>> => {
  const buses = new Map<string, AdminBus>();
  for (const user of new Set(Object.values(userOf))) buses.set(user, await system.connect(user));
  return (n) => {
    const stream = targets[n % targets.length] ?? 'EVT_KEYS';
    const bus = buses.get(userOf[stream]) ?? assert.fail();
    return eventually(
      async () => (await bus.jsm.streams.info(stream)).cluster?.leader ?? assert.fail(`${stream} has no leader`),
      { timeoutMs: waitMs },
    );
  };
};

interface Fault {
  readonly fault: 'kill' | 'partition';
  readonly leader: string;
  readonly writers: ClusterWriters;
}

/** Returns the time until an append is acknowledged that began after the fault. */
const injectFault = async (system: ClusterSystem, { fault, leader, writers }: Fault): Promise<number> => {
  const { cluster } = system;
  const since = performance.now();
  const isolated = fault === 'partition' ? cluster.isolate(leader, isolatedMs) : cluster.kill(leader);
  if (fault === 'kill') await isolated;
  const isNext = ({ begun }: Acknowledged): boolean => begun > since;
  const { answered } = await eventually(() => writers.acknowledged.find(isNext) ?? assert.fail('no acknowledgement'), {
    timeoutMs: waitMs,
  });
  if (fault === 'partition') await isolated;
  else await cluster.start(leader);
  await system.cluster.allHealthy();
  return answered - since;
};
