import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { readLastUsed } from '@almanac/redis';
import { eventually } from '@almanac/testing';
import { startSystem, type TestSystem } from '../testing/gateway.js';
import { withRedis } from '../testing/redis.js';

describe('the last use of a key', () => {
  let system: TestSystem;
  before(async () => {
    system = await startSystem();
  });
  after(() => system.stop());

  it('is recorded for every accepted key, from the cache or the keys service, and for no other', async () => {
    const [key, other, wrong] = [
      system.edge.keys.createKey(),
      system.edge.keys.createKey(),
      system.edge.keys.inventKey(),
    ];
    const beforeS = Date.now() / 1_000;
    for (const one of [key, key, other, wrong]) await system.request('/exports/formats', one);
    await withRedis(system.redis, async (redis) => {
      for (const { account, id } of [key, other]) {
        const at = await eventually(async () => (await readLastUsed(redis, account)).get(id) ?? assert.fail('not yet'));
        assert.ok(at >= beforeS && at <= Date.now() / 1_000, `${at}`);
      }
      assert.equal((await readLastUsed(redis, wrong.account)).size, 0);
    });
  });

  it('is recorded when the gateway stops', async () => {
    const late = await system.another();
    const key = system.edge.keys.createKey();
    await late.request('/exports/formats', key);
    await late.stop();
    const uses = await withRedis(system.redis, (redis) => readLastUsed(redis, key.account));
    assert.ok(uses.has(key.id));
  });
});
