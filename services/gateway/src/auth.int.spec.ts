import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { subjects } from '@almanac/bus';
import { catalogRpc, keysRpc } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { formatApiKey, newKeyId, newSecret, parseApiKey } from '@almanac/runtime';
import { nameOf } from './testing/service-stubs.js';
import { startSystem, type TestSystem } from './testing/gateway.js';

describe('a key at the gateway', () => {
  let system: TestSystem;
  before(async () => {
    system = await startSystem();
    system.edge.handlers.set(nameOf(catalogRpc.categories), (_input, { account, plan }) => ({ account, plan }));
  });
  after(() => system.stop());

  const authenticateCalls = () => system.edge.callsOf(keysRpc.authenticate);
  const statusWith = async (key: { text: string }) => {
    const response = await system.request('/categories', key);
    await response.arrayBuffer();
    return response.status;
  };
  /** The first answers may come before the first heartbeat, when every key is looked up. */
  const isCached = (key: { text: string }) =>
    eventually(async () => {
      assert.equal(await statusWith(key), 200);
      const callsBefore = authenticateCalls();
      assert.equal(await statusWith(key), 200);
      assert.equal(authenticateCalls(), callsBefore);
    });

  it('gives its account and plan to the services, and is looked up once', async () => {
    const key = system.edge.keys.createKey('full_book');
    const body: unknown = await (await system.request('/categories', key)).json();
    assert.deepEqual(body, { account: key.account, plan: 'full_book' });
    await isCached(key);
  });
  it('with another secret is refused, even after the right one was cached', async () => {
    const key = system.edge.keys.createKey();
    await isCached(key);
    const keyId = parseApiKey(key.text)?.keyId ?? '';
    assert.equal(await statusWith({ text: formatApiKey({ keyId, secret: newSecret() }) }), 401);
    const unknown = formatApiKey({ keyId: newKeyId(key.account), secret: newSecret() });
    assert.equal(await statusWith({ text: unknown }), 401);
    assert.equal(await statusWith(key), 200);
  });
  it('works as soon as its creation is known although it was refused before', async () => {
    const key = system.edge.keys.inventKey();
    for (let n = 0; n < 3; n += 1) assert.equal(await statusWith(key), 401);
    system.edge.keys.admit(key, 'pro');
    await system.edge.append(subjects.keyring(key.account), {}, key.account);
    await eventually(async () => assert.equal(await statusWith(key), 200));
  });
  it('that is refused is looked up once, until something of its account changes', async () => {
    await isCached(system.edge.keys.createKey());
    const key = system.edge.keys.inventKey();
    assert.equal(await statusWith(key), 401);
    const callsBefore = authenticateCalls();
    for (let n = 0; n < 20; n += 1) assert.equal(await statusWith(key), 401);
    assert.equal(authenticateCalls(), callsBefore);
    await system.edge.append(subjects.keyring(key.account), {}, key.account);
    await eventually(async () => {
      assert.equal(await statusWith(key), 401);
      assert.ok(authenticateCalls() > callsBefore);
    });
  });
  it('is refused after its revocation on every gateway that cached it, and other keys stay cached', async () => {
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

  it('has its new plan as soon as the plan changed', async () => {
    const key = system.edge.keys.createKey('free');
    await isCached(key);
    await system.edge.keys.changePlan(key, 'pro');
    await hasPlan(key, 'pro');
  });
  it('is not looked up again because its account exports or fills its cart', async () => {
    const [key, later] = [system.edge.keys.createKey(), system.edge.keys.createKey('free')];
    await isCached(key);
    await isCached(later);
    for (const type of ['GrantReserved', 'GrantConfirmed', 'GrantReleased', 'CartLineAdded', 'CartLinesRemoved']) {
      await system.edge.append(subjects.account(key.account), {}, key.account, type);
    }
    // Arrives after the other events.
    await system.edge.keys.changePlan(later, 'pro');
    await hasPlan(later, 'pro');
    const callsBefore = authenticateCalls();
    assert.equal(await statusWith(key), 200);
    assert.equal(authenticateCalls(), callsBefore);
  });
  it('that is revoked during its look-up is not cached as valid', async () => {
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
  it('is looked up again while the heartbeat is missing or ahead of the received events', async () => {
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
        const callsBefore = authenticateCalls();
        assert.equal(await statusWith(key), 200);
        assert.equal(authenticateCalls(), callsBefore + 1);
      });
      end();
      await isCached(key);
    }
  });
  it('cannot be checked without the keys service once the last heartbeat is old', async () => {
    const [key, never] = [system.edge.keys.createKey(), system.edge.keys.createKey()];
    await isCached(key);
    system.edge.keys.heartbeat(false);
    await system.edge.stopKeys();
    await eventually(async () => {
      const response = await system.request('/categories', key);
      assert.equal(response.status, 503);
      assert.ok(Number(response.headers.get('retry-after')) >= 1);
    });
    assert.equal(await statusWith(never), 503);
  });
});
