import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { catalogRpc, keysRpc } from '@almanac/contracts';
import { readLastUsed } from '@almanac/redis';
import { formatApiKey, newKeyId, newSecret, parseApiKey } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { startSystem, steadyIn, type TestSystem } from '../testing/gateway.js';
import { withRedis } from '../testing/redis.js';
import { nameOf } from '../testing/service-stubs.js';

let system: TestSystem;
const steady = steadyIn(() => system);
before(async () => {
  system = await startSystem({ FAILED_KEYS_PER_MINUTE: '0' });
  system.edge.handlers.set(nameOf(catalogRpc.categories), (_input, { account, plan }) => ({ account, plan }));
});
after(() => system.stop());

const lookups = () => system.edge.callsOf(keysRpc.authenticate);

describe('a key at the gateway', () => {
  const statusWith = async (key: { text: string }) => {
    const response = await system.request('/categories', key);
    await response.arrayBuffer();
    return response.status;
  };
  /** The first answers may come before the first heartbeat, when every key is looked up. */
  const isCached = (key: { text: string }) =>
    eventually(async () => {
      assert.equal(await statusWith(key), 200);
      const callsBefore = lookups();
      assert.equal(await statusWith(key), 200);
      assert.equal(lookups(), callsBefore);
    });

  steady('gives its account and plan to the services, and is looked up once', async () => {
    const key = system.edge.keys.createKey('full_book');
    const body: unknown = await (await system.request('/categories', key)).json();
    assert.deepEqual(body, { account: key.account, plan: 'full_book' });
    await isCached(key);
  });
  it('that is malformed is refused without a look-up, and one without Bearer is told so', async () => {
    const key = system.edge.keys.createKey();
    const callsBefore = lookups();
    const detailFor = async (authorization: string | undefined): Promise<string> => {
      const headers = authorization === undefined ? {} : { authorization };
      const response = await system.request('/categories', undefined, { headers });
      assert.deepEqual([response.status, response.headers.get('www-authenticate')], [401, 'Bearer'], authorization);
      return ((await response.json()) as { detail: string }).detail;
    };
    for (const authorization of [key.text, `Bearer${key.text}`, `Bearer: ${key.text}`]) {
      const detail = await detailFor(authorization);
      assert.match(detail, /without the word Bearer before it\. Send `Authorization: Bearer <API_KEY>`/);
      assert.ok(!detail.includes(key.text));
    }
    for (const authorization of [`Bearer ${key.text}x`, 'Basic abc', 'Bearer abc', 'Bearer', '']) {
      assert.match(await detailFor(authorization), /The API key is not valid/, authorization);
    }
    assert.match(await detailFor(undefined), /has no API key/);
    assert.equal(lookups(), callsBefore);
  });
  steady('with another secret is refused, even after the right one was cached', async () => {
    const key = system.edge.keys.createKey();
    await isCached(key);
    const keyId = parseApiKey(key.text)?.keyId ?? '';
    assert.equal(await statusWith({ text: formatApiKey({ keyId, secret: newSecret() }) }), 401);
    const unknown = formatApiKey({ keyId: newKeyId(key.account), secret: newSecret() });
    assert.equal(await statusWith({ text: unknown }), 401);
    assert.equal(await statusWith(key), 200);
  });
  steady('works as soon as its creation is known although it was refused before', async () => {
    const key = system.edge.keys.inventKey();
    for (let n = 0; n < 3; n += 1) assert.equal(await statusWith(key), 401);
    system.edge.keys.admit(key, 'pro');
    await system.edge.append(subjects.keyring(key.account), {}, key.account);
    await eventually(async () => assert.equal(await statusWith(key), 200));
  });
  steady('that is refused is looked up once, until something of its account changes', async () => {
    // A gateway that has no heartbeat yet remembers no refusal.
    const key = await eventually(async () => {
      const unknown = system.edge.keys.inventKey();
      assert.equal(await statusWith(unknown), 401);
      const callsBefore = lookups();
      for (let n = 0; n < 20; n += 1) assert.equal(await statusWith(unknown), 401);
      assert.equal(lookups(), callsBefore);
      return unknown;
    });
    const callsBefore = lookups();
    await system.edge.append(subjects.keyring(key.account), {}, key.account);
    await eventually(async () => {
      assert.equal(await statusWith(key), 401);
      assert.ok(lookups() > callsBefore);
    });
  });
  steady('is refused after its revocation on every gateway that cached it, and other keys stay cached', async () => {
    const key = system.edge.keys.createKey();
    const otherKey = system.edge.keys.createKey();
    const second = await system.another();
    await isCached(key);
    assert.equal((await second.request('/categories', key)).status, 200);
    await system.edge.keys.revoke(key);
    await eventually(async () => assert.equal((await second.request('/categories', key)).status, 401));
    await eventually(async () => assert.equal(await statusWith(key), 401));
    await isCached(otherKey);
  });
  const hasPlan = (key: { text: string; account: string }, plan: string) =>
    eventually(async () => {
      const body: unknown = await (await system.request('/categories', key)).json();
      assert.deepEqual(body, { account: key.account, plan });
    });

  steady('has its new plan as soon as the plan changed', async () => {
    const key = system.edge.keys.createKey('free');
    await isCached(key);
    await system.edge.keys.changePlan(key, 'pro');
    await hasPlan(key, 'pro');
  });
  steady('is not looked up again because its account exports or fills its cart', async () => {
    const [key, later] = [system.edge.keys.createKey(), system.edge.keys.createKey('free')];
    await isCached(key);
    await isCached(later);
    for (const type of ['GrantReserved', 'GrantConfirmed', 'GrantReleased', 'CartLineAdded', 'CartLinesRemoved']) {
      await system.edge.append(subjects.account(key.account), {}, key.account, type);
    }
    // Arrives after the other events.
    await system.edge.keys.changePlan(later, 'pro');
    await hasPlan(later, 'pro');
    const callsBefore = lookups();
    assert.equal(await statusWith(key), 200);
    assert.equal(lookups(), callsBefore);
  });
  steady('that is revoked during its look-up is not cached as valid', async () => {
    const key = system.edge.keys.createKey();
    const authenticate = nameOf(keysRpc.authenticate);
    const answer = system.edge.handlers.get(authenticate);
    assert.ok(answer);
    let release = (): void => undefined;
    const held = new Promise<void>((resolve) => (release = resolve));
    let arrived = (): void => undefined;
    const arrival = new Promise<void>((resolve) => (arrived = resolve));
    // The service has read the keyring, and its answer is on its way when the revocation is stored.
    system.edge.handlers.set(authenticate, async (input, context) => {
      const reply = answer(input, context);
      arrived();
      await held;
      return reply;
    });
    const looking = statusWith(key);
    await arrival;
    await system.edge.keys.revoke(key);
    const other = system.edge.keys.createKey();
    system.edge.handlers.set(authenticate, answer);
    await isCached(other);
    release();
    assert.equal(await looking, 200);
    assert.equal(await statusWith(key), 401);
  });
  steady('is used for a moment after a provisional answer, whatever arrived before it', async () => {
    const [key, other] = [system.edge.keys.createKey(), system.edge.keys.createKey()];
    const authenticate = nameOf(keysRpc.authenticate);
    const answer = system.edge.handlers.get(authenticate) ?? assert.fail();
    // From a replica without the event, which this gateway has, since it is there before the command is answered.
    system.edge.handlers.set(authenticate, (input, context) => ({
      ...Object(answer(input, context)),
      provisional: true,
    }));
    try {
      await system.edge.append(subjects.keyring(key.account), {}, key.account);
      await system.edge.keys.revoke(other);
      await eventually(async () => assert.equal(await statusWith(other), 401));
      const callsBefore = lookups();
      await eventually(async () => {
        assert.equal(await statusWith(key), 200);
        assert.ok(lookups() >= callsBefore + 3);
      });
    } finally {
      system.edge.handlers.set(authenticate, answer);
    }
    await isCached(key);
  });
  steady('is looked up again while the heartbeat is missing or ahead of the received events', async () => {
    const key = system.edge.keys.createKey();
    await isCached(key);
    const { keys } = system.edge;
    const faults = [
      { begin: () => keys.heartbeat(false), end: () => keys.heartbeat(true) },
      { begin: () => keys.runAhead(1), end: () => keys.runAhead(0) },
    ];
    for (const { begin, end } of faults) {
      begin();
      await eventually(async () => {
        const callsBefore = lookups();
        assert.equal(await statusWith(key), 200);
        assert.equal(lookups(), callsBefore + 1);
      });
      end();
      await isCached(key);
    }
  });
});

describe('the last use of a key', () => {
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
