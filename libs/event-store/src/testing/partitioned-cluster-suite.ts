import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureStream, natsAccounts, serverStreams, subjects } from '@almanac/bus';
import { configuredNatsCluster, type ConfiguredNatsCluster, eventually } from '@almanac/testing';
import { eachStoredOnce, figuresOf } from './cluster-appends.js';
import { clusterWriters } from './cluster-writers.js';

const stream = 'EVT_CATALOG';
const streamPartitions = 4;
const written = Array.from({ length: 16 }, (_, n) => subjects.market(`WRITTEN-${n}`));
const waitMs = 60_000;
const isolatedMs = 10_000;

/** Appends to four partitions with three replicas each, while the leader of one after the other is killed and cut off. */
export const partitionedClusterKeepsEveryAppend = ({ kills, cuts }: { kills: number; cuts: number }): void => {
  describe('four partitions on a cluster of three', { timeout: (kills + cuts + 5) * 120_000 }, () => {
    let cluster: ConfiguredNatsCluster;
    const open: AdminBus[] = [];
    const connect = async (): Promise<AdminBus> => {
      const login = { url: cluster.url, user: 'catalog', password: cluster.passwordOf('catalog') };
      const bus = await connectBus({ ...login, replicas: 3, partitions: streamPartitions });
      open.push(bus);
      return bus;
    };
    before(async () => {
      cluster = await configuredNatsCluster((passwordOf) => natsAccounts(passwordOf, {}, streamPartitions));
    });
    after(async () => {
      await Promise.all(open.map((bus) => bus.close()));
      await cluster.stop();
    });

    it(`lose and double no append over ${kills} kill -9 of leaders and ${cuts} that are cut off`, async (test) => {
      await cluster.allHealthy();
      const buses = [await connect(), await connect(), await connect()];
      const [bus = assert.fail()] = buses;
      await eventually(() => ensureStream(bus, stream), { timeoutMs: waitMs });
      const leaderOf = (name: string): Promise<string> =>
        eventually(
          async () => (await bus.jsm.streams.info(name)).cluster?.leader ?? assert.fail(`${name}: no leader`),
          {
            timeoutMs: waitMs,
          },
        );
      const names = serverStreams(bus, [stream]);
      const leaders = await Promise.all(names.map(leaderOf));
      test.diagnostic(`leaders at the start: ${leaders.join(', ')}`);
      const writers = clusterWriters(buses, written);
      const next: number[] = [];
      try {
        for (let n = 0; n < kills + cuts; n += 1) {
          const name = await leaderOf(names[n % names.length] ?? '');
          const since = performance.now();
          const fault = n < kills ? cluster.kill(name) : cluster.isolate(name, isolatedMs);
          if (n < kills) await fault;
          const found = await eventually(
            () => writers.acknowledged.find(({ begun }) => begun > since) ?? assert.fail('no acknowledgement'),
            { timeoutMs: waitMs },
          );
          next.push(found.answered - since);
          await fault;
          if (n < kills) await cluster.start(name);
          await cluster.allHealthy();
        }
      } finally {
        await writers.stop();
      }
      const { acknowledged, failures } = writers;
      test.diagnostic(`${acknowledged.length} appends; ${JSON.stringify(Object.fromEntries(failures))}`);
      test.diagnostic(`next acknowledgement of any partition: ${figuresOf(next)}`);
      assert.equal(new Set(acknowledged.map(({ seq }) => seq % streamPartitions)).size, streamPartitions);
      await eachStoredOnce(acknowledged, bus, stream);
    });
  });
};
