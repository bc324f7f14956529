// oxlint-disable max-lines-per-function -- a suite of tests
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, ensureStream } from '@almanac/bus';
import type { UserName } from '@almanac/contracts';
import { configuredNatsCluster, type ConfiguredNatsCluster, eventually } from '@almanac/testing';
import { eachStoredOnce, figuresOf } from './cluster-appends.js';
import { type Acknowledged, clusterWriters } from './cluster-writers.js';

const streams = ['EVT_EXPORT', 'EVT_KEYS'] as const;
type WrittenStream = (typeof streams)[number];
const subjectsOf = (stream: WrittenStream): string[] =>
  [1, 2, 3, 4].map((n) => (stream === 'EVT_KEYS' ? `evt.keys.account-${n}` : `evt.export.account.${n}`));
const waitMs = 60_000;

/** Appends through faults of a cluster with the shipped configuration and the users of the system. */
export const clusterKeepsEveryAppend = ({ kills, partitions }: { kills: number; partitions: number }): void => {
  describe('a cluster of three with deploy/nats/cluster.conf', { timeout: (kills + partitions) * 120_000 }, () => {
    let cluster: ConfiguredNatsCluster;
    const open: AdminBus[] = [];
    const connect = async (user: UserName): Promise<AdminBus> => {
      const options = { url: cluster.url, user, password: cluster.passwordOf(user), replicas: 3 };
      const bus = await connectBus(options);
      open.push(bus);
      return bus;
    };
    before(async () => {
      cluster = await configuredNatsCluster();
    });
    after(async () => {
      await Promise.all(open.map((bus) => bus.close()));
      await cluster.stop();
    });

    const leaderOf = async (bus: AdminBus, stream: WrittenStream): Promise<string> => {
      const { cluster: state } = await bus.jsm.streams.info(stream);
      return state?.leader ?? assert.fail(`${stream} has no leader`);
    };

    it('is healthy, and has three replicas of each stream, for the users of the system', async () => {
      await cluster.allHealthy();
      const [exporting, keys] = [await connect('export'), await connect('keys')];
      await eventually(() => ensureStream(exporting, 'EVT_EXPORT'), { timeoutMs: waitMs });
      await eventually(() => ensureStream(keys, 'EVT_KEYS'), { timeoutMs: waitMs });
      for (const [bus, stream] of [
        [exporting, 'EVT_EXPORT'],
        [keys, 'EVT_KEYS'],
      ] as const) {
        await eventually(
          async () => {
            const { config, cluster: state } = await bus.jsm.streams.info(stream);
            assert.equal(config.num_replicas, 3);
            assert.equal(state?.replicas?.filter(({ current }) => current).length, 2);
          },
          { timeoutMs: waitMs },
        );
      }
      const other = connectBus({ url: cluster.url, user: 'keys', password: cluster.passwordOf('export') });
      await assert.rejects(other, /authorization violation/i);
    });

    it(`loses and doubles no append over ${kills} kill -9 of leaders and ${partitions} partitions`, async (test) => {
      const exporting = await Promise.all([1, 2, 3].map(() => connect('export')));
      const keys = await Promise.all([1, 2, 3].map(() => connect('keys')));
      const busOf = { EVT_EXPORT: exporting, EVT_KEYS: keys };
      const writers = {
        EVT_EXPORT: clusterWriters(exporting, subjectsOf('EVT_EXPORT')),
        EVT_KEYS: clusterWriters(keys, subjectsOf('EVT_KEYS')),
      };
      const watchers = { EVT_EXPORT: await connect('export'), EVT_KEYS: await connect('keys') };
      const afterFault: Record<'kill' | 'partition', number[]> = { kill: [], partition: [] };
      /** Until an append of the stream that began after the fault is acknowledged. */
      const nextAcknowledgement = async (stream: WrittenStream, since: number): Promise<number> => {
        let found: Acknowledged | undefined;
        const isNext = ({ begun }: Acknowledged): boolean => begun > since;
        await eventually(
          () => {
            found = writers[stream].acknowledged.find(isNext);
            assert.ok(found, `an acknowledgement of ${stream}`);
          },
          { timeoutMs: waitMs },
        );
        return (found?.answered ?? assert.fail()) - since;
      };
      const leader = async (stream: WrittenStream): Promise<string> => {
        let name = '';
        await eventually(async () => void (name = await leaderOf(watchers[stream], stream)), { timeoutMs: waitMs });
        return name;
      };
      try {
        for (let n = 0; n < kills + partitions; n += 1) {
          const stream = streams[n % 2] ?? assert.fail();
          const name = await leader(stream);
          const isPartition = n >= kills;
          const since = performance.now();
          const isolated = isPartition ? cluster.isolate(name, 10_000) : cluster.kill(name);
          if (!isPartition) await isolated;
          afterFault[isPartition ? 'partition' : 'kill'].push(await nextAcknowledgement(stream, since));
          if (isPartition) await isolated;
          else await cluster.start(name);
          await cluster.allHealthy();
        }
      } finally {
        await Promise.all(streams.map((stream) => writers[stream].stop()));
      }
      for (const stream of streams) {
        const { acknowledged, failures } = writers[stream];
        test.diagnostic(
          `${stream}: ${acknowledged.length} acknowledged; ${JSON.stringify(Object.fromEntries(failures))}`,
        );
        await eachStoredOnce(acknowledged, busOf[stream][0] ?? assert.fail(), stream);
      }
      for (const [fault, times] of Object.entries(afterFault))
        test.diagnostic(`next acknowledgement after a ${fault}: ${figuresOf(times)}`);
    });
  });
};
