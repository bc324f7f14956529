import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { exportRpc, keysRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type RunningGateway, startSystem, type TestSystem } from '../testing/gateway.js';
import { nameOf } from '../testing/service-stubs.js';
import type { TestKey } from '../testing/keys-stub.js';

const limit = 5;

describe('invalid keys from one address', () => {
  let system: TestSystem;
  let another: RunningGateway;
  before(async () => {
    system = await startSystem({ TRUST_PROXY: 'loopback', FAILED_KEYS_PER_MINUTE: String(limit) });
    another = await system.another();
    system.edge.handlers.set(nameOf(exportRpc.list), () => ({}));
    for (const gateway of [system, another]) await isCached(gateway, system.edge.keys.createKey());
  });
  after(() => system.stop());

  const lookups = () => system.edge.callsOf(keysRpc.authenticate);
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

  it('are answered with 429 above the limit, while cached keys and other addresses work', async () => {
    const [address, other] = ['192.0.2.1', '192.0.2.2'];
    const key = system.edge.keys.createKey();
    await isCached(system, key);
    for (let n = 0; n < limit; n += 1) assert.equal(await guess(system, address), 401);
    const callsBefore = lookups();
    const refused = await request(system, address, system.edge.keys.inventKey());
    assert.equal(refused.status, 429);
    assert.equal(((await refused.json()) as { code: string }).code, 'rate_limited');
    const seconds = Number(refused.headers.get('retry-after'));
    assert.ok(seconds >= 1 && seconds <= 60, String(seconds));
    assert.equal(lookups(), callsBefore);
    assert.equal(await statusAt(system, address, key), 200);
    assert.equal(await guess(system, other), 401);
    assert.equal(await statusAt(system, other, system.edge.keys.createKey()), 200);
  });

  it('are counted once per key, so that a client with an old key gets 401', async () => {
    const key = system.edge.keys.inventKey();
    for (let n = 0; n < 3 * limit; n += 1) assert.equal(await statusAt(system, '192.0.2.3', key), 401);
  });

  it('are counted for all gateways', async () => {
    const address = '192.0.2.4';
    for (let n = 0; n < limit; n += 1) assert.equal(await guess(system, address), 401);
    // The other gateway learns the total with its first own failure.
    await eventually(async () => assert.equal(await guess(another, address), 429));
    const network = '2001:db8:1:2';
    for (let n = 0; n < limit; n += 1) assert.equal(await guess(system, `${network}::${n + 1}`), 401);
    assert.equal(await guess(system, `${network}:ffff::1`), 429);
  });

  it('cannot pass the limit in one burst beyond the look-ups that run at once', async () => {
    const callsBefore = lookups();
    const statuses = await Promise.all(Array.from({ length: 300 }, () => guess(system, '192.0.2.5')));
    assert.ok(statuses.every((status) => status === 401 || status === 429));
    assert.ok(lookups() - callsBefore <= limit + 32, String(lookups() - callsBefore));
  });

  it('are limited by each gateway while Redis is away', async () => {
    process.kill(system.redis.pid, 'SIGKILL');
    const address = '192.0.2.6';
    for (const gateway of [system, another]) {
      for (let n = 0; n < limit; n += 1) assert.equal(await guess(gateway, address), 401);
      assert.equal(await guess(gateway, address), 429);
      assert.equal(await statusAt(gateway, '192.0.2.7', system.edge.keys.createKey()), 200);
    }
  });
});
