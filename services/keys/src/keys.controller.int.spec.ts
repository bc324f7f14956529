import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { connectBus, follow, subjects } from '@almanac/bus';
import { DomainError, type ErrorCode, keyringState } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { connectRedis, recordLastUsed } from '@almanac/redis';
import { createHealth, createLogger, newKeyId, newSecret, parseApiKey, secretHash, unixMicros } from '@almanac/runtime';
import { eventually, suspendProcess } from '@almanac/testing';
import { callsOf, startFixture, type KeysFixture } from './testing/fixture.js';

const refusal = (code: ErrorCode) => (error: unknown) => {
  assert.ok(error instanceof DomainError, String(error));
  assert.equal(error.code, code);
  return true;
};

describe('API keys', () => {
  let fixture: KeysFixture;
  let calls: ReturnType<typeof callsOf>;
  const services: { stop(): Promise<void> }[] = [];
  const startOne = async () => void services.push(await fixture.start());
  before(async () => {
    fixture = await startFixture();
    calls = callsOf(fixture);
    await Promise.all([startOne(), startOne()]);
  });
  after(async () => {
    await Promise.all(services.map((service) => service.stop()));
    await fixture.stop();
  });

  it('cannot be checked before the commerce service has started, which is no refusal', async () => {
    const unknown = () => calls.authenticate(newKeyId('0123456789ab'), newSecret());
    await assert.rejects(unknown(), refusal('unavailable'));
    await fixture.startCommerce();
    await assert.rejects(unknown(), refusal('unauthenticated'));
  });

  it('open their own account, with its plan', async () => {
    const account = await fixture.openAccount('pro');
    const { id, secret } = await calls.create(account, 'mine');
    assert.deepEqual(await calls.enter(secret), { account, key_id: id, plan: 'pro', as_of: null });
  });

  it('are refused alike with a wrong secret, an unknown id and an invalid id', async () => {
    const account = await fixture.openAccount('pro');
    const { id } = await calls.create(account, 'mine');
    const sentences = new Set<string>();
    for (const keyId of [id, newKeyId(account), newKeyId('0123456789ab'), 'x', '*', '>', '', '😀'.repeat(100)]) {
      await assert.rejects(calls.authenticate(keyId, newSecret()), (error) => {
        assert.ok(refusal('unauthenticated')(error) && error instanceof DomainError);
        sentences.add(error.detail);
        return true;
      });
    }
    assert.equal(sentences.size, 1);
  });

  it('are created, listed newest first and revoked; a revoked one is refused and listed', async () => {
    const account = await fixture.openAccount('pro');
    const [first, second] = [await calls.create(account, 'first'), await calls.create(account, 'second')];
    const { count, limit, keys } = await calls.list(account);
    assert.deepEqual([count, limit, keys.map(({ name }) => name)], [2, 10, ['second', 'first']]);
    const { secret, ...shown } = first;
    assert.deepEqual(keys[1], shown);
    assert.deepEqual([shown.status, shown.revoked_ts, shown.last_used_ts], ['active', null, null]);
    assert.equal(shown.last4, secret?.slice(-4));
    assert.ok(secret?.startsWith(`${shown.prefix}_`));

    const requestedTs = Date.now() / 1_000;
    const revoked = await calls.revoke(account, first.id);
    assert.equal(revoked.status, 'revoked');
    const revokedTs = revoked.revoked_ts ?? 0;
    assert.ok(revokedTs >= requestedTs && revokedTs <= Date.now() / 1_000, `${revokedTs}`);
    assert.deepEqual(await calls.revoke(account, first.id), revoked, 'again is the same');
    await assert.rejects(calls.enter(secret), refusal('unauthenticated'));
    await calls.enter(second.secret);
    assert.deepEqual((await calls.list(account)).keys[1], revoked);
  });

  it('stay within the limit of the plan when ten are requested at once, at two processes, and a revoked one frees a place', async () => {
    const account = await fixture.openAccount('free');
    const settled = await Promise.allSettled(Array.from({ length: 10 }, (_, n) => calls.create(account, `k${n}`)));
    const created = settled.flatMap((one) => (one.status === 'fulfilled' ? [one.value] : []));
    assert.equal(created.length, 2);
    for (const one of settled) if (one.status === 'rejected') refusal('key_limit_reached')(one.reason);
    await calls.revoke(account, created[0]?.id ?? '');
    await calls.create(account, 'again');
    await assert.rejects(calls.create(account, 'one more'), refusal('key_limit_reached'));
  });

  it('are created once for one Idempotency-Key, even at once, and their secret is shown once', async () => {
    const account = await fixture.openAccount('pro');
    const answers = await Promise.all([1, 2, 3].map(() => calls.create(account, 'mine', 'ik-1')));
    const shown = answers.filter(({ secret }) => secret !== null);
    assert.equal(shown.length, 1);
    for (const { secret, secret_already_shown, id } of answers) {
      assert.equal(id, shown[0]?.id);
      assert.equal(secret_already_shown, secret === null ? true : undefined);
    }
    await calls.enter(shown[0]?.secret ?? null);
    assert.equal((await calls.list(account)).count, 1);
    await assert.rejects(calls.create(account, 'another name', 'ik-1'), refusal('idempotency_conflict'));
    const other = await fixture.openAccount('pro');
    assert.notEqual((await calls.create(other, 'mine', 'ik-1')).id, shown[0]?.id, 'of another account, another key');
  });

  it('are created again for an Idempotency-Key that is older than 24 hours', async () => {
    const account = await fixture.openAccount('pro');
    const first = await calls.create(account, 'mine', 'ik-2');
    const bus = await connectBus({ url: fixture.nats.url, user: 'keys', password: 'test' });
    const store = jetStreamStore(bus);
    const ages = async (hours: number): Promise<void> => {
      const loaded = await store.load(subjects.keyring(account), keyringState);
      assert.ok(loaded);
      const created_us = unixMicros() - hours * 3_600e6;
      const keys = loaded.state.keys.map((key) => ({ ...key, created_us }));
      const event = { id: randomUUID(), type: 'KeyCreated', version: 1, time: 1, account, data: {} } as const;
      await store.append(subjects.keyring(account), { ...event, state: { account, keys } }, loaded.seq);
    };
    await ages(23.9);
    assert.deepEqual([(await calls.create(account, 'mine', 'ik-2')).id, first.secret === null], [first.id, false]);
    await ages(24.1);
    const renewed = await calls.create(account, 'another', 'ik-2');
    assert.notEqual(renewed.id, first.id);
    await calls.enter(renewed.secret);
    assert.equal((await calls.create(account, 'another', 'ik-2')).id, renewed.id);
    await bus.close();
  });

  it('of another account are not found, like unknown ones, and an account that was never opened has none', async () => {
    await assert.rejects(calls.create('0123456789ab', 'mine'), refusal('internal'));
    const [owner, stranger] = [await fixture.openAccount('pro'), await fixture.openAccount('pro')];
    const { id, secret } = await calls.create(owner, 'mine');
    const details: string[] = [];
    for (const keyId of [id, newKeyId(owner), newKeyId(stranger), '']) {
      await assert.rejects(calls.revoke(stranger, keyId), (error) => {
        assert.ok(refusal('key_not_found')(error) && error instanceof DomainError);
        details.push(JSON.stringify(error.reply));
        return true;
      });
    }
    assert.equal(new Set(details).size, 1);
    assert.equal((await calls.list(stranger)).count, 0);
    await calls.enter(secret);
  });

  it('show when they were last used, as the gateways recorded it, but not without Redis', async () => {
    const account = await fixture.openAccount('pro');
    const [used, never] = [await calls.create(account, 'used'), await calls.create(account, 'never')];
    const stranger = await fixture.openAccount('pro');
    const noting = { log: createLogger('test', 'silent'), health: createHealth() };
    const redis = connectRedis({
      config: { REDIS_URL: fixture.redis.url },
      runtime: noting,
      without: 'the test fails',
    });
    try {
      await eventually(() => assert.equal(redis.status, 'ready'));
      await recordLastUsed(redis, new Map([[account, new Map([[used.id, 1_771_992_900.5]])]]));
      const uses = new Map((await calls.list(account)).keys.map(({ id, last_used_ts }) => [id, last_used_ts]));
      assert.deepEqual([uses.get(used.id), uses.get(never.id)], [1_771_992_900.5, null]);
      assert.equal((await calls.revoke(account, used.id)).last_used_ts, 1_771_992_900.5);
      assert.equal((await calls.list(stranger)).count, 0);
      const goOn = await suspendProcess(fixture.redis.pid);
      try {
        assert.deepEqual(
          (await calls.list(account)).keys.map(({ last_used_ts }) => last_used_ts),
          [null, null],
        );
      } finally {
        goOn();
      }
    } finally {
      redis.disconnect();
    }
  });

  it('are valid for sessions until they are revoked', async () => {
    const account = await fixture.openAccount('pro');
    const { id } = await calls.create(account, 'mine');
    assert.deepEqual(await calls.checkKey(id), { account, key_id: id, plan: 'pro', as_of: null });
    await calls.revoke(account, id);
    for (const keyId of [id, newKeyId(account), newKeyId('0123456789ab'), 'x', '*', '', '😀'.repeat(100)]) {
      await assert.rejects(calls.checkKey(keyId), refusal('unauthenticated'));
    }
  });

  it('have sessions that end alone, at every process', async () => {
    const account = await fixture.openAccount('pro');
    const { id } = await calls.create(account, 'mine');
    const expires_s = Math.ceil(Date.now() / 1_000) + 60;
    const session = { id: 'one', expires_s };
    const other = { id: 'two', expires_s };
    for (const one of [session, other]) assert.equal((await calls.checkKey(id, one)).plan, 'pro');
    assert.deepEqual(await calls.endSession(id, session), { ended: true });
    assert.deepEqual(await calls.endSession(id, session), { ended: false });
    for (let n = 0; n < 10; n += 1) await assert.rejects(calls.checkKey(id, session), refusal('unauthenticated'));
    assert.equal((await calls.checkKey(id, other)).plan, 'pro');
    await calls.create(account, 'second');
    await assert.rejects(calls.checkKey(id, session), refusal('unauthenticated'));
    assert.deepEqual(await calls.endSession(newKeyId('0123456789ab'), session), { ended: false });
  });

  it('leave no secret behind in an event, a reply, an error or the log, and no hash outside the events', async () => {
    const account = await fixture.openAccount('free');
    const { secret: text } = await calls.create(account, 'mine', 'ik');
    const { secret = '', keyId = '' } = parseApiKey(text ?? '') ?? {};
    const replies: unknown[] = [];
    const collect = (call: Promise<unknown>) =>
      call.then(
        (answer) => replies.push(answer),
        (error: unknown) =>
          replies.push(error instanceof DomainError ? [error.message, error.reply, error.stack] : error),
      );
    await collect(calls.authenticate(keyId, `${secret}x`));
    await collect(calls.enter(text));
    await collect(calls.create(account, 'mine', 'ik'));
    await collect(calls.create(account, 'other', 'ik'));
    await collect(calls.create(account, 'second'));
    await collect(calls.create(account, 'third'));
    await collect(calls.create('0123456789ab', 'mine'));
    await collect(calls.list(account));
    await collect(calls.revoke(account, keyId));
    await collect(calls.enter(text));
    const outside = JSON.stringify(replies) + fixture.logged();
    assert.ok(fixture.logged().includes('a call failed'), 'the log was caught');
    assert.ok(!outside.includes(secret));
    assert.ok(!outside.includes(secretHash(secret)));
    assert.equal(await storedWith(fixture, secret), 0);
    assert.equal(await storedWith(fixture, secretHash(secret)), 3, 'created, another created, revoked');
  });

  it('with as_of are entered with their time, and listed with it', async () => {
    const account = await fixture.openAccount('pro');
    const asOf = 1_771_993_500;
    const { id, secret, as_of } = await calls.createFenced(account, asOf);
    assert.equal(as_of, asOf);
    assert.deepEqual(await calls.enter(secret), { account, key_id: id, plan: 'pro', as_of: asOf });
    assert.deepEqual(await calls.checkKey(id), { account, key_id: id, plan: 'pro', as_of: asOf });
    const { keys } = await calls.list(account);
    assert.deepEqual(
      keys.map((key) => key.as_of),
      [asOf],
    );
    assert.equal((await calls.create(account, 'without')).as_of, null);
  });

  it('with as_of do not exist for a gateway of a release that does not know as_of, nor for such a keys service', async () => {
    const account = await fixture.openAccount('pro');
    const { id, secret } = await calls.createFenced(account, 1_771_993_500);
    await assert.rejects(calls.enter(secret, false), refusal('unauthenticated'));
    await assert.rejects(calls.checkKey(id, undefined, false), refusal('unauthenticated'));
    // Such a service compares the stored hash with that of the secret.
    const bus = await connectBus({ url: fixture.nats.url, user: 'keys', password: 'test' });
    const stored = await jetStreamStore(bus).load(subjects.keyring(account), keyringState);
    await bus.close();
    assert.notEqual(stored?.state.keys[0]?.hash, secretHash(parseApiKey(secret ?? '')?.secret ?? ''));
  });

  it('with as_of in the future, or with another one under the same Idempotency-Key, are refused', async () => {
    const account = await fixture.openAccount('pro');
    const future = Math.ceil(Date.now() / 1_000) + 60;
    await assert.rejects(calls.createFenced(account, future), refusal('as_of_in_future'));
    await calls.createFenced(account, 1_771_993_500, 'one');
    assert.equal((await calls.createFenced(account, 1_771_993_500, 'one')).secret_already_shown, true);
    await assert.rejects(calls.createFenced(account, 1_771_993_501, 'one'), refusal('idempotency_conflict'));
  });

  it('work although a message that is no event was written to their account', async () => {
    const account = await fixture.openAccount('pro');
    const { id, secret } = await calls.create(account, 'mine');
    const bus = await connectBus({ url: fixture.nats.url, user: 'keys', password: 'test' });
    await bus.js.publish(subjects.keyring(account), '{"no":"event"}');
    assert.equal((await calls.enter(secret)).plan, 'pro');
    assert.equal((await calls.list(account)).count, 1);
    assert.equal((await calls.revoke(account, id)).status, 'revoked');
    await assert.rejects(calls.enter(secret), refusal('unauthenticated'));
    await bus.close();
  });
});

/** The number of stored events that contain a text. */
const storedWith = async ({ gateway }: KeysFixture, text: string): Promise<number> => {
  let found = 0;
  const following = await follow(gateway, {
    stream: 'EVT_KEYS',
    from: 'first',
    state: keyringState,
    onEvent: ({ event }) => {
      if (JSON.stringify(event).includes(text)) found += 1;
    },
    onUnreadable: (error) => assert.fail(String(error)),
  });
  await following.caughtUp;
  await following.stop();
  return found;
};
