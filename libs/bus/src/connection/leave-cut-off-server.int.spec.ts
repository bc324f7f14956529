import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type ConfiguredNatsCluster, configuredNatsCluster, eventually } from '@almanac/testing';
import { type AdminBus, connectBus } from '../bus.js';
import { leaveCutOffServer } from './leave-cut-off-server.js';
import { subjects } from '../names.js';

const isolatedMs = 15_000;

describe('when a server of three is cut off from the others', { timeout: 300_000 }, () => {
  let cluster: ConfiguredNatsCluster;
  const stops: (() => Promise<void>)[] = [];
  before(async () => {
    cluster = await configuredNatsCluster();
    stops.push(() => cluster.stop());
    await cluster.allHealthy();
  });
  after(async () => {
    for (const stop of stops.toReversed()) await stop();
  });

  const connect = async (user: string, url: string): Promise<AdminBus> => {
    const bus = await connectBus({ url, user, password: cluster.passwordOf(user), replicas: 3 });
    stops.push(() => bus.close());
    return bus;
  };
  const sendHeartbeats = ({ nc }: AdminBus): (() => void) => {
    const timer = setInterval(() => nc.publish(subjects.keysHeartbeat, '{}'), 250);
    return () => clearInterval(timer);
  };

  it('both connections of a process move to another one, and stay there while heartbeats arrive', async () => {
    const [first = '', second = ''] = cluster.names;
    const keys = await connect('keys', cluster.urlOf(second));
    const stopHeartbeats = sendHeartbeats(keys);
    // The first server is the first that it tries.
    const others = cluster.names.slice(1).map((name) => cluster.urlOf(name));
    let catalog = await connect('catalog', [cluster.urlOf(first), ...others].join(','));
    while (catalog.nc.info?.server_name !== first)
      catalog = await connect('catalog', [cluster.urlOf(first), ...others].join(','));
    assert.equal(catalog.streams.getServer(), catalog.nc.getServer(), 'both at one server');
    const at = catalog.nc.getServer();
    // This connection has tried another server before, so by itself it would now try the third one.
    for (const isThere of [false, true]) {
      await catalog.streams.reconnect();
      await eventually(() => assert.equal(catalog.streams.getServer() === at, isThere));
      await eventually(() => catalog.streams.rtt());
    }
    const left: string[] = [];
    const watch = leaveCutOffServer(catalog, (server) => left.push(server));
    try {
      // That heartbeats keep it there can only be seen by waiting.
      await delay(3_000);
      assert.deepEqual([left, catalog.nc.getServer()], [[], at]);
      const whole = cluster.isolate(first, isolatedMs);
      await eventually(() => assert.ok(catalog.nc.getServer() !== at && catalog.streams.getServer() !== at));
      await eventually(() => catalog.streams.rtt());
      assert.equal(catalog.streams.getServer(), catalog.nc.getServer(), 'both at one server again');
      assert.deepEqual(left, [at]);
      await whole;
    } finally {
      await watch.stop();
      stopHeartbeats();
    }
  });
});
