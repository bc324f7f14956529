import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { Reply } from '@almanac/bus';
import { DomainError, keysRpc, timeseriesRpc } from '@almanac/contracts';
import { eventually, suspendProcess } from '@almanac/testing';
import { type RunningGateway, startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';
import { nameOf } from '../testing/service-stubs.js';

const formats = '/exports/formats';
/** A gateway checks a key again after at least this time while changes may be missing. */
const recheckMsMin = 400;
const recheckMsMax = 600;

let system: TestSystem;
const steady = steadyIn(() => system);
before(async () => {
  system = await startSystem();
});
after(() => system.stop());

const elapsedFrom = (beganMs: number) => performance.now() - beganMs;
const lookups = () => system.edge.callsOf(keysRpc.authenticate);
const createKeys = (count: number) => Array.from({ length: count }, () => system.edge.keys.createKey('internal'));
/** Only a gateway that has heartbeats does not check a key again. */
const becomesTrusted = (gateway: RunningGateway, key: TestKey) =>
  eventually(async () => {
    const callsBefore = lookups();
    for (const beganMs = performance.now(); elapsedFrom(beganMs) < recheckMsMax;) {
      assert.equal(await statusAt(gateway, key), 200);
      await delay(25);
    }
    assert.ok(lookups() - callsBefore <= 1);
  });
const statusAt = async (gateway: RunningGateway, key: TestKey, path = formats): Promise<number> => {
  const response = await gateway.request(path, key);
  await response.arrayBuffer();
  return response.status;
};

describe('the look-ups of a gateway', () => {
  const all = async (keys: readonly TestKey[], times: number): Promise<number[]> =>
    Promise.all(keys.flatMap((key) => Array.from({ length: times }, () => statusAt(system, key))));
  const areCached = (keys: readonly TestKey[]) =>
    eventually(async () => {
      const callsBefore = lookups();
      assert.ok((await all(keys, 1)).every((status) => status === 200));
      assert.equal(lookups(), callsBefore);
    });

  steady('are shared by equal keys', async () => {
    await areCached(createKeys(1));
    const callsBefore = lookups();
    const statuses = await all(createKeys(5), 60);
    assert.deepEqual([statuses.length, new Set(statuses)], [300, new Set([200])]);
    assert.equal(lookups() - callsBefore, 5);
  });

  steady('of many keys run at most 32 at once', async () => {
    const authenticate = nameOf(keysRpc.authenticate);
    const answer = system.edge.handlers.get(authenticate) ?? assert.fail();
    let [running, most] = [0, 0];
    system.edge.handlers.set(authenticate, async (input, context) => {
      running += 1;
      most = Math.max(most, running);
      await delay(5);
      running -= 1;
      return answer(input, context);
    });
    const callsBefore = lookups();
    const statuses = await all(createKeys(150), 1);
    system.edge.handlers.set(authenticate, answer);
    assert.deepEqual(new Set(statuses), new Set([200]));
    assert.equal(lookups() - callsBefore, 150);
    assert.ok(most <= 32, String(most));
  });

  steady('are few per key while heartbeats are missing, and none afterwards', async () => {
    const keys = createKeys(5);
    await areCached(keys);
    const callsBefore = lookups();
    const beganMs = performance.now();
    system.edge.keys.heartbeat(false);
    let requests = 0;
    while (elapsedFrom(beganMs) < 2_500) {
      requests += (await all(keys, 4)).length;
      await delay(25);
    }
    const perKey = (lookups() - callsBefore) / keys.length;
    const expected = elapsedFrom(beganMs) / recheckMsMin + 1;
    system.edge.keys.heartbeat(true);
    assert.ok(requests > 5 * (lookups() - callsBefore), `${requests} requests, ${lookups() - callsBefore} look-ups`);
    assert.ok(perKey >= 2 && perKey <= expected, `${perKey} look-ups per key`);
    await areCached(keys);
  });

  steady('are not caused by the revocation of another key', async () => {
    const afterRevocation = async (): Promise<void> => {
      const [key, ...keys] = createKeys(41);
      assert.ok(key);
      await areCached([key, ...keys]);
      const callsBefore = lookups();
      await system.edge.keys.revoke(key);
      await eventually(async () => assert.equal(await statusAt(system, key), 401));
      const own = lookups() - callsBefore;
      assert.ok((await all(keys, 5)).every((status) => status === 200));
      assert.equal(lookups() - callsBefore, own);
    };
    // A heartbeat that a busy machine delays causes look-ups, too.
    await eventually(afterRevocation);
  });

  steady('do not follow a restart of NATS, and cached answers stay', async () => {
    system.edge.handlers.set(
      nameOf(timeseriesRpc.snapshots),
      () => new Reply(Buffer.from('{}'), { version: 1, cacheable: true }),
    );
    const keys = createKeys(40);
    const [reader] = keys;
    assert.ok(reader);
    const paths = Array.from({ length: 20 }, (_, n) => `/markets/H${n}/snapshots`);
    const queries = () => system.edge.callsOf(timeseriesRpc.snapshots);
    const read = async (): Promise<number> => {
      const callsBefore = queries();
      for (const path of paths) assert.equal(await statusAt(system, reader, path), 200);
      return queries() - callsBefore;
    };
    await areCached(keys);
    await eventually(async () => assert.equal(await read(), 0));
    const callsBefore = lookups();
    await system.nats.restart();
    const beganMs = performance.now();
    let requests = 0;
    await eventually(async () => {
      const statuses = await all(keys, 2);
      requests += statuses.length;
      assert.ok(
        statuses.every((status) => status === 200),
        String(statuses.filter((status) => status !== 200).length),
      );
    });
    await areCached(keys);
    const perKey = (lookups() - callsBefore) / keys.length;
    assert.ok(perKey <= elapsedFrom(beganMs) / recheckMsMin + 1, `${perKey} look-ups per key for ${requests} requests`);
    await eventually(async () => assert.equal(await statusAt(system, reader, paths[0]), 200));
    const [first, ...others] = paths;
    // One path shows when cached answers are used again. No other one was read since the restart.
    await eventually(async () => {
      const queriesBefore = queries();
      assert.equal(await statusAt(system, reader, first), 200);
      assert.equal(queries(), queriesBefore);
    });
    const queriesBefore = queries();
    for (const path of others) assert.equal(await statusAt(system, reader, path), 200);
    assert.equal(queries(), queriesBefore, 'answers from before the restart');
  });
});

describe('a revoked key', () => {
  let another: RunningGateway;
  before(async () => {
    another = await system.another();
  });

  /** Every request but the first is answered from the cache. */
  const isCached = (gateway: RunningGateway, key: TestKey): Promise<void> =>
    eventually(async () => {
      const callsBefore = lookups();
      assert.equal(await statusAt(gateway, key), 200);
      assert.equal(lookups(), callsBefore);
    });

  steady('is refused while heartbeats from before its revocation arrive late, after a silence', async () => {
    const key = system.edge.keys.createKey('internal');
    await isCached(system, key);
    const authenticate = nameOf(keysRpc.authenticate);
    const answer = system.edge.handlers.get(authenticate) ?? assert.fail();
    system.edge.keys.heartbeat(false);
    system.edge.handlers.set(authenticate, () => {
      throw new DomainError('unauthenticated', 'The key is revoked, which no event says yet.');
    });
    try {
      await eventually(async () => assert.equal(await statusAt(system, key), 401));
      system.edge.keys.holdBack(10_000);
      system.edge.keys.heartbeat(true);
      // Long enough for several heartbeats.
      for (const beganMs = performance.now(); elapsedFrom(beganMs) < 300;) {
        assert.equal(await statusAt(system, key), 401);
        await delay(5);
      }
      await system.edge.keys.revoke(key);
    } finally {
      system.edge.keys.holdBack(0);
      system.edge.handlers.set(authenticate, answer);
    }
    await eventually(async () => assert.equal(await statusAt(system, key), 401));
  });

  steady('is refused for good once a look-up refused it, whatever heartbeats say', async () => {
    const key = system.edge.keys.createKey('internal');
    await isCached(system, key);
    const authenticate = nameOf(keysRpc.authenticate);
    const answer = system.edge.handlers.get(authenticate) ?? assert.fail();
    system.edge.keys.heartbeat(false);
    system.edge.handlers.set(authenticate, (input, context) => {
      if (keysRpc.authenticate.input.parse(input).key_id !== key.id) return answer(input, context);
      throw new DomainError('unauthenticated', 'The key is revoked, which no event says yet.');
    });
    try {
      await eventually(async () => assert.equal(await statusAt(system, key), 401));
      system.edge.keys.heartbeat(true);
      await becomesTrusted(system, system.edge.keys.createKey('internal'));
      assert.equal(await statusAt(system, key), 401);
    } finally {
      system.edge.handlers.set(authenticate, answer);
    }
  });

  steady('is refused while NATS is frozen, and stays refused when all that NATS held back arrives', async () => {
    const [key, otherKey] = [system.edge.keys.createKey('internal'), system.edge.keys.createKey('internal')];
    for (const one of [key, otherKey]) await isCached(system, one);
    const goOn = await suspendProcess(system.nats.pid);
    let revoked: Promise<void>;
    try {
      // NATS may be frozen for longer than the stub waits for it.
      revoked = eventually(() => system.edge.keys.revoke(key));
      // No cached key is current, so no request is accepted.
      await Promise.all(
        [key, otherKey].map((one) => eventually(async () => assert.equal(await statusAt(system, one), 503))),
      );
    } finally {
      goOn();
    }
    let refusals = 0;
    await eventually(async () => {
      for (const status of await Promise.all([1, 2, 3, 4].map(() => statusAt(system, key)))) {
        assert.notEqual(status, 200);
        if (status === 401) refusals += 1;
      }
      assert.ok(refusals >= 100);
    });
    await revoked;
    await isCached(system, otherKey);
    assert.equal(await statusAt(system, key), 401);
  });

  it('is refused without Redis', async () => {
    const [key, otherKey] = [system.edge.keys.createKey(), system.edge.keys.createKey()];
    for (const gateway of [system, another]) await isCached(gateway, key);
    process.kill(system.redis.pid, 'SIGKILL');
    await system.edge.keys.revoke(key);
    for (const gateway of [system, another]) {
      await eventually(async () => assert.equal(await statusAt(gateway, key), 401));
      // The first requests may have used what a process admits in a second without Redis.
      await eventually(async () => assert.equal(await statusAt(gateway, otherKey), 200));
    }
  });

  it('is not accepted when the keys service stops as well', async () => {
    const [key, otherKey, never] = createKeys(3);
    assert.ok(key && otherKey && never);
    for (const gateway of [system, another]) await isCached(gateway, key);
    await isCached(system, otherKey);
    await system.edge.keys.revoke(key);
    await system.edge.stopKeys();
    // The heartbeat continues. The event makes the gateways drop the key.
    for (const gateway of [system, another])
      await eventually(async () => assert.equal(await statusAt(gateway, key), 503));
    const response = await system.request(formats, never);
    assert.equal(response.status, 503);
    assert.ok(Number(response.headers.get('retry-after')) >= 1);
    // A key that is cached works until the last heartbeat is old.
    assert.equal(await statusAt(system, otherKey), 200);
    system.edge.keys.heartbeat(false);
    await eventually(async () => assert.equal(await statusAt(system, otherKey), 503));
  });
});
