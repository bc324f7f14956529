import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConfiguredNatsCluster, suspendProcess } from '@almanac/testing';

/** The election of a leader takes 4 to 9 s. */
const awayMs = 6_000;
const frozenMs = 12_000;
const slowMs = 10_000;
/** A server on a slow disk, or on a machine that others use: it works a quarter of the time. */
const [stoppedMs, workingMs] = [300, 100];

/** How a server of a cluster is lost. */
export const losses = {
  'kill -9': (cluster, name) => awayAfter(cluster, name, () => cluster.kill(name)),
  SIGTERM: (cluster, name) => awayAfter(cluster, name, () => cluster.end(name)),
  'lame duck': (cluster, name) => awayAfter(cluster, name, () => cluster.lameDuck(name)),
  freeze: async (cluster, name) => {
    const resume = await suspendProcess(cluster.pidOf(name));
    await delay(frozenMs).finally(resume);
  },
  partition: (cluster, name) => cluster.isolate(name, awayMs),
  slow: (cluster, name) => slowDown(() => cluster.pidOf(name), slowMs),
} as const satisfies Readonly<Record<string, (cluster: ConfiguredNatsCluster, name: string) => Promise<void>>>;
export type Loss = keyof typeof losses;

/** A process on a slow disk: what it does takes four times as long, with pauses. */
export const slowDown = async (pidOf: () => number, forMs: number): Promise<void> => {
  for (const end = performance.now() + forMs; performance.now() < end;) {
    const resume = await suspendProcess(pidOf());
    await delay(stoppedMs).finally(resume);
    await delay(workingMs);
  }
};

/** Resolves when the server is back and all three are healthy. */
export const loseServer = async (cluster: ConfiguredNatsCluster, loss: Loss, name: string): Promise<void> => {
  assert.ok(cluster.names.includes(name), `${name} is no server of the cluster`);
  await losses[loss](cluster, name);
  await cluster.allHealthy();
};

const awayAfter = async (cluster: ConfiguredNatsCluster, name: string, end: () => Promise<void>): Promise<void> => {
  await end();
  await delay(awayMs);
  await cluster.start(name);
};
