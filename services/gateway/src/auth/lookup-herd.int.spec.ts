import assert from 'node:assert/strict';
import { setTimeout as delay } from 'node:timers/promises';
import { after, before, describe, it } from 'node:test';
import { Reply } from '@almanac/bus';
import { keysRpc, timeseriesRpc } from '@almanac/contracts';
import { eventually, testNats, type TestNats } from '@almanac/testing';
import { startSystem, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';
import { nameOf } from '../testing/service-stubs.js';

const formats = '/exports/formats';
/** A gateway checks a key again after at least this time while changes may be missing. */
const recheckMsMin = 400;

describe('the look-ups of a gateway', { timeout: 240_000 }, () => {
  let system: TestSystem;
  let nats: TestNats;
  before(async () => {
    system = await startSystem({}, async (accounts) => (nats = await testNats({ accounts })));
  });
  after(() => system.stop());

  const lookups = () => system.edge.callsOf(keysRpc.authenticate);
  const createKeys = (count: number) => Array.from({ length: count }, () => system.edge.keys.createKey('internal'));
  const statusOf = async (key: TestKey, path = formats): Promise<number> => {
    const response = await system.request(path, key);
    await response.arrayBuffer();
    return response.status;
  };
  const all = async (keys: readonly TestKey[], times: number): Promise<number[]> =>
    Promise.all(keys.flatMap((key) => Array.from({ length: times }, () => statusOf(key))));
  const areCached = (keys: readonly TestKey[]) =>
    eventually(async () => {
      const callsBefore = lookups();
      assert.ok((await all(keys, 1)).every((status) => status === 200));
      assert.equal(lookups(), callsBefore);
    });
  const elapsedFrom = (beganMs: number) => performance.now() - beganMs;

  it('are shared by equal keys', async () => {
    await areCached(createKeys(1));
    const callsBefore = lookups();
    const statuses = await all(createKeys(5), 60);
    assert.deepEqual([statuses.length, new Set(statuses)], [300, new Set([200])]);
    assert.equal(lookups() - callsBefore, 5);
  });

  it('of many keys run at most 32 at once', async () => {
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

  it('are few per key while heartbeats are missing, and none afterwards', async () => {
    const keys = createKeys(5);
    await areCached(keys);
    const callsBefore = lookups();
    const beganMs = performance.now();
    system.edge.keys.heartbeat(false);
    let requests = 0;
    while (elapsedFrom(beganMs) < 4_000) requests += (await all(keys, 10)).length;
    const perKey = (lookups() - callsBefore) / keys.length;
    const expected = elapsedFrom(beganMs) / recheckMsMin + 1;
    system.edge.keys.heartbeat(true);
    assert.ok(requests > 5 * (lookups() - callsBefore), `${requests} requests, ${lookups() - callsBefore} look-ups`);
    assert.ok(perKey >= 2 && perKey <= expected, `${perKey} look-ups per key`);
    await areCached(keys);
  });

  it('are not caused by the revocation of another key', async () => {
    const afterRevocation = async (): Promise<void> => {
      const [key, ...keys] = createKeys(41);
      assert.ok(key);
      await areCached([key, ...keys]);
      const callsBefore = lookups();
      await system.edge.keys.revoke(key);
      await eventually(async () => assert.equal(await statusOf(key), 401));
      const own = lookups() - callsBefore;
      assert.ok((await all(keys, 5)).every((status) => status === 200));
      assert.equal(lookups() - callsBefore, own);
    };
    // A heartbeat that a busy machine delays causes look-ups, too.
    await eventually(afterRevocation);
  });

  it('do not follow a restart of NATS, and cached answers stay', async () => {
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
      for (const path of paths) assert.equal(await statusOf(reader, path), 200);
      return queries() - callsBefore;
    };
    await areCached(keys);
    await eventually(async () => assert.equal(await read(), 0));
    const callsBefore = lookups();
    await nats.restart();
    const beganMs = performance.now();
    let requests = 0;
    await eventually(async () => {
      const statuses = await all(keys, 5);
      requests += statuses.length;
      assert.ok(
        statuses.every((status) => status === 200),
        String(statuses.filter((status) => status !== 200).length),
      );
    });
    await areCached(keys);
    const perKey = (lookups() - callsBefore) / keys.length;
    assert.ok(perKey <= elapsedFrom(beganMs) / recheckMsMin + 1, `${perKey} look-ups per key for ${requests} requests`);
    await eventually(async () => assert.equal(await statusOf(reader, paths[0]), 200));
    const [first, ...others] = paths;
    // One path shows when cached answers are used again. No other one was read since the restart.
    await eventually(async () => {
      const queriesBefore = queries();
      assert.equal(await statusOf(reader, first), 200);
      assert.equal(queries(), queriesBefore);
    });
    const queriesBefore = queries();
    for (const path of others) assert.equal(await statusOf(reader, path), 200);
    assert.equal(queries(), queriesBefore, 'answers from before the restart');
  });
});
