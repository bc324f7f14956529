import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { keysRpc } from '@almanac/contracts';
import { eventually, suspendProcess } from '@almanac/testing';
import { type RunningGateway, startSystem, type TestSystem } from './testing/gateway.js';
import type { TestKey } from './testing/keys-stub.js';
import { type NatsCluster, startNatsCluster } from './testing/nats-cluster.js';

const path = '/exports/formats';

const statusAt = async (gateway: RunningGateway, key: TestKey): Promise<number> => {
  const response = await gateway.request(path, key);
  await response.arrayBuffer();
  return response.status;
};

/** Every request but the first is answered from the cache. */
const isCached = (system: TestSystem, gateway: RunningGateway, key: TestKey): Promise<void> =>
  eventually(async () => {
    const authenticateCalls = system.edge.callsOf(keysRpc.authenticate);
    assert.equal(await statusAt(gateway, key), 200);
    assert.equal(system.edge.callsOf(keysRpc.authenticate), authenticateCalls);
  });

describe('a revoked key', () => {
  it('is refused while the NATS node of its gateway is frozen, and stays refused afterwards', async () => {
    let cluster: NatsCluster | undefined;
    const system = await startSystem({}, async (accounts) => (cluster = await startNatsCluster(accounts)));
    try {
      assert.ok(cluster !== undefined);
      const near = await cluster.third();
      const otherGateway = await system.another({ NATS_URL: near.url });
      const [key, otherKey] = [system.edge.keys.createKey('internal'), system.edge.keys.createKey('internal')];
      for (const gateway of [system, otherGateway]) await isCached(system, gateway, key);
      await isCached(system, otherGateway, otherKey);

      const goOn = await suspendProcess(near.pid);
      try {
        await system.edge.keys.revoke(key);
        await eventually(async () => assert.equal(await statusAt(system, key), 401));
        await eventually(async () => assert.equal(await statusAt(otherGateway, key), 503));
        assert.equal(
          await statusAt(otherGateway, otherKey),
          503,
          'no cached key is current, so no request is accepted',
        );
      } finally {
        goOn();
      }
      // The messages that the node held back arrive now, including heartbeats from before the revocation.
      const seen = new Map<number, number>();
      await eventually(async () => {
        for (const status of await Promise.all([1, 2, 3, 4].map(() => statusAt(otherGateway, key)))) {
          seen.set(status, (seen.get(status) ?? 0) + 1);
        }
        assert.ok((seen.get(401) ?? 0) >= 200 || seen.has(200));
      });
      assert.equal(seen.get(200), undefined, JSON.stringify([...seen]));
      await isCached(system, otherGateway, otherKey);
      assert.equal(await statusAt(otherGateway, key), 401);
    } finally {
      await system.stop();
    }
  });

  describe('during an outage', () => {
    let system: TestSystem;
    let another: RunningGateway;
    before(async () => {
      system = await startSystem();
      another = await system.another();
    });
    after(() => system.stop());

    it('is refused without Redis', async () => {
      const [key, otherKey] = [system.edge.keys.createKey(), system.edge.keys.createKey()];
      for (const gateway of [system, another]) await isCached(system, gateway, key);
      process.kill(system.redis.pid, 'SIGKILL');
      await system.edge.keys.revoke(key);
      for (const gateway of [system, another]) {
        await eventually(async () => assert.equal(await statusAt(gateway, key), 401));
        assert.equal(await statusAt(gateway, otherKey), 200);
      }
    });

    it('is not accepted when the keys service stops as well', async () => {
      const key = system.edge.keys.createKey();
      for (const gateway of [system, another]) await isCached(system, gateway, key);
      await system.edge.keys.revoke(key);
      await system.edge.stopKeys();
      for (const gateway of [system, another]) {
        // The heartbeat stub continues. The revocation event makes the gateways drop the key.
        await eventually(async () => assert.equal(await statusAt(gateway, key), 503));
        assert.equal(await statusAt(gateway, key), 503);
      }
    });
  });
});
