import assert from 'node:assert/strict';
import { after, before, describe } from 'node:test';
import { keysRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type RunningGateway, startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';
import type { TestKey } from '../testing/keys-stub.js';

let system: TestSystem;
const steady = steadyIn(() => system);
before(async () => {
  system = await startSystem({ FAILED_KEYS_PER_MINUTE: '0' });
});
after(() => system.stop());

const lookups = () => system.edge.callsOf(keysRpc.authenticate);

/** Rejected keys of one address in a minute. */
const limit = 5;

describe('invalid keys from one address', () => {
  let addresses = 0;
  /** A test that is repeated must not meet the failures of its first run. */
  const newAddress = (): string => `192.0.2.${(addresses += 1)}`;
  let one: RunningGateway;
  let another: RunningGateway;
  before(async () => {
    const variables = { TRUST_PROXY: 'loopback', FAILED_KEYS_PER_MINUTE: String(limit) };
    [one, another] = await Promise.all([system.another(variables), system.another(variables)]);
    for (const gateway of [one, another]) await remembersRefusals(gateway);
  });

  const remembersRefusals = (gateway: RunningGateway) =>
    eventually(async () => {
      const [address, unknown] = [newAddress(), system.edge.keys.inventKey()];
      assert.equal(await statusAt(gateway, address, unknown), 401);
      const callsBefore = lookups();
      assert.equal(await statusAt(gateway, address, unknown), 401);
      assert.equal(lookups(), callsBefore);
    });

  const request = (gateway: RunningGateway, address: string, key: TestKey) =>
    gateway.request('/exports/formats', key, { headers: { 'x-forwarded-for': address } });
  const statusAt = async (gateway: RunningGateway, address: string, key: TestKey): Promise<number> => {
    const response = await request(gateway, address, key);
    await response.arrayBuffer();
    return response.status;
  };
  const isCached = (gateway: RunningGateway, key: TestKey) =>
    eventually(async () => {
      const callsBefore = lookups();
      assert.equal(await statusAt(gateway, '192.0.2.200', key), 200);
      assert.equal(lookups(), callsBefore);
    });
  const guess = (gateway: RunningGateway, address: string) => statusAt(gateway, address, system.edge.keys.inventKey());

  steady('are answered with 429 above the limit, while cached keys and other addresses work', async () => {
    const [address, other] = [newAddress(), newAddress()];
    const key = system.edge.keys.createKey();
    await isCached(one, key);
    for (let n = 0; n < limit; n += 1) assert.equal(await guess(one, address), 401);
    const refused = await request(one, address, system.edge.keys.inventKey());
    assert.equal(refused.status, 429);
    assert.equal(((await refused.json()) as { code: string }).code, 'rate_limited');
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
    assert.equal(await statusAt(one, address, key), 200);
    assert.equal(await guess(one, other), 401);
    assert.equal(await statusAt(one, other, system.edge.keys.createKey()), 200);
  });

  steady('do not lock out a good key that this gateway has not seen, and few of them are looked up', async () => {
    const address = newAddress();
    for (let n = 0; n < limit; n += 1) assert.equal(await guess(one, address), 401);
    const [callsBefore, beganAt] = [lookups(), performance.now()];
    for (let n = 0; n < 50; n += 1) assert.equal(await guess(one, address), 429);
    const calls = lookups() - callsBefore;
    assert.ok(calls <= 1 + (performance.now() - beganAt) / 250, String(calls));
    const key = system.edge.keys.createKey();
    await eventually(async () => assert.equal(await statusAt(one, address, key), 200));
    assert.equal(await guess(one, address), 429);
  });

  steady('are counted once per key, so that a client with an old key gets 401', async () => {
    const [address, key] = [newAddress(), system.edge.keys.inventKey()];
    for (let n = 0; n < 3 * limit; n += 1) assert.equal(await statusAt(one, address, key), 401);
  });

  steady('are counted for all gateways', async () => {
    const address = newAddress();
    for (let n = 0; n < limit; n += 1) assert.equal(await guess(one, address), 401);
    // The other gateway learns the total with its first own failure.
    await eventually(async () => assert.equal(await guess(another, address), 429));
    const network = `2001:db8:1:${newAddress().split('.').at(-1)}`;
    for (let n = 0; n < limit; n += 1) assert.equal(await guess(one, `${network}::${n + 1}`), 401);
    assert.equal(await guess(one, `${network}:ffff::1`), 429);
  });

  steady('cannot pass the limit in one burst beyond the look-ups that run at once', async () => {
    const [callsBefore, beganAt] = [lookups(), performance.now()];
    const address = newAddress();
    const statuses = await Promise.all(Array.from({ length: 300 }, () => guess(one, address)));
    assert.ok(statuses.every((status) => status === 401 || status === 429));
    const calls = lookups() - callsBefore;
    assert.ok(calls <= limit + 32 + (performance.now() - beganAt) / 250, String(calls));
  });

  describe('while Redis is away', () => {
    before(() => process.kill(system.redis.pid, 'SIGKILL'));

    steady('are limited by each gateway', async () => {
      const [address, other] = [newAddress(), newAddress()];
      for (const gateway of [one, another]) {
        for (let n = 0; n < limit; n += 1) assert.equal(await guess(gateway, address), 401);
        assert.equal(await guess(gateway, address), 429);
        assert.equal(await statusAt(gateway, other, system.edge.keys.createKey()), 200);
      }
    });
  });
});
