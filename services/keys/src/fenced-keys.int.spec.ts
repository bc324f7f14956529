import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectBus, subjects } from '@almanac/bus';
import { DomainError, type ErrorCode, keyringState } from '@almanac/contracts';
import { jetStreamStore } from '@almanac/event-store';
import { parseApiKey, secretHash } from '@almanac/runtime';
import { callsOf, startFixture, type KeysFixture } from './testing/fixture.js';

const refusal =
  (code: ErrorCode) =>
  (error: unknown): boolean =>
    error instanceof DomainError && error.code === code;

describe('API keys', () => {
  let fixture: KeysFixture;
  let calls: ReturnType<typeof callsOf>;
  let service: { stop(): Promise<void> };
  before(async () => {
    fixture = await startFixture();
    calls = callsOf(fixture);
    service = await fixture.start();
    await fixture.startCommerce();
  });
  after(async () => {
    await service.stop();
    await fixture.stop();
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
});
