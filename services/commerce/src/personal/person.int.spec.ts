import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type AdminBus, connectBus, personalStream, subjects } from '@almanac/bus';
import { type AccountName, commerceRpc, type PlanId } from '@almanac/contracts';
import { newAccountId } from '@almanac/runtime';
import { startStripeFixture, type StripeFixture } from '../testing/stripe-fixture.js';
import { refusal } from '../testing/pair.js';
import { type PersonRecords, personRecords } from './person-records.js';

const context = { requestId: 'r' };
const newEmail = (): string => `Ada.${randomUUID()}@Example.com`;

describe('a person', () => {
  let fixture: StripeFixture;
  let service: { stop(): Promise<void> };
  let bus: AdminBus;
  let persons: PersonRecords;
  before(async () => {
    fixture = await startStripeFixture();
    service = await fixture.start();
    bus = await connectBus({ url: fixture.nats.url, user: 'commerce', password: 'test' });
    persons = personRecords(bus);
  });
  after(async () => {
    await bus.close();
    await service.stop();
    await fixture.stop();
  });

  const open = (email: string, { plan = 'free', name = null }: { plan?: PlanId; name?: string | null } = {}) =>
    fixture.operator.call(commerceRpc.openAccount, {
      input: { account: newAccountId(), plan, person: { email, name } },
      context,
    });
  const find = (input: AccountName) => fixture.operator.call(commerceRpc.findAccount, { input, context });
  const erase = (input: AccountName) => fixture.operator.call(commerceRpc.eraseAccount, { input, context });

  it('is found by id and by e-mail address in any case', async () => {
    const email = newEmail();
    const { account } = await open(email, { plan: 'pro', name: 'Ada' });
    const found = await find({ account });
    assert.deepEqual([found.person, found.state.plan], [{ email, name: 'Ada' }, 'pro']);
    assert.deepEqual(await find({ email: email.toUpperCase() }), found);
    await assert.rejects(find({ email: newEmail() }), refusal('account_not_found'));
    assert.equal((await find({ account: await fixture.openAccount('free') })).person, null);
  });

  it('has one account, however many are opened at once', async () => {
    const email = newEmail();
    const tries = await Promise.allSettled(Array.from({ length: 20 }, () => open(email)));
    const opened = tries.flatMap((one) => (one.status === 'fulfilled' ? [one.value.account] : []));
    assert.equal(opened.length, 1);
    for (const one of tries) if (one.status === 'rejected') assert.ok(refusal('account_exists')(one.reason));
    assert.equal((await find({ email })).state.account, opened[0]);
    await assert.rejects(open(email.toLowerCase()), (error) => {
      assert.ok(refusal('account_exists')(error) && error instanceof Error);
      assert.match(error.message, new RegExp(`An account already uses this email address: ${opened[0]}\\.`));
      return true;
    });
  });

  it('gets the account that a crash left half opened', async () => {
    const email = newEmail();
    const claimed = newAccountId();
    assert.equal(await persons.claim(email, claimed), claimed);
    assert.equal((await open(email)).account, claimed);
    assert.equal((await find({ email })).person?.email, email);
  });

  it('with an invalid e-mail address is refused', async () => {
    for (const email of ['', 'ada', 'ada@', '@example.com', 'a b@example.com', `${'a'.repeat(250)}@example.com`]) {
      await assert.rejects(open(email), refusal('invalid_input'), email);
    }
  });

  it('is erased with every byte of the record, and the account continues', async () => {
    const email = newEmail();
    const name = `Name ${randomUUID()}`;
    const { account } = await open(email, { plan: 'pro', name });
    const { account: other } = await open(newEmail());
    assert.deepEqual(await erase({ email }), { account, record: true, customer: false });
    assert.deepEqual(await erase({ account }), { account, record: false, customer: false });

    const { person, state } = await find({ account });
    assert.deepEqual([person, state.plan], [null, 'pro']);
    await assert.rejects(find({ email }), refusal('account_not_found'));
    for (const key of [subjects.person(account), subjects.person(other)]) {
      const left = await bus.jsm.streams.getMessage(personalStream, { last_by_subj: key });
      assert.equal(left === null, key === subjects.person(account));
    }
    const { state: stream } = await bus.jsm.streams.info(personalStream);
    for (let seq = stream.first_seq; seq <= stream.last_seq; seq += 1) {
      const entry = await bus.jsm.streams.getMessage(personalStream, { seq });
      assert.ok(!entry?.subject.includes(account) && !entry?.string().includes(account), `${seq} tells of the account`);
    }
    for (const text of [email, email.toLowerCase(), name]) assert.equal(await onDisk(fixture.nats.dir, text), false);
    const eventTypes = (await fixture.history(account)).map(({ event }) => event.type);
    assert.deepEqual(eventTypes, ['AccountOpened', 'PersonErased', 'PersonErased']);
    assert.notEqual((await open(email)).account, account);
  });

  it('is erased at the payment provider too, with the subscription; a later purchase creates a new customer', async () => {
    const { account } = await open(newEmail());
    const client = fixture.client(account);
    await client.upgrade('pro');
    const first = (await find({ account })).state.customer_id;
    assert.ok(first);
    assert.deepEqual(await erase({ account }), { account, record: true, customer: true });
    const { state } = await find({ account });
    assert.deepEqual([state.customer_id, state.subscription, state.plan], [null, null, 'free']);
    await client.portal();
    const second = (await find({ account })).state.customer_id;
    assert.ok(second);
    assert.notEqual(second, first);
  });

  it('without an account, as a crash left it, is erased by the address', async () => {
    const email = newEmail();
    const claimed = newAccountId();
    await persons.claim(email, claimed);
    await persons.put(claimed, { email, name: null });
    assert.deepEqual(await erase({ email }), { account: claimed, record: true, customer: false });
    assert.equal(await onDisk(fixture.nats.dir, email), false);
    await assert.rejects(erase({ email }), refusal('account_not_found'));
    await assert.rejects(erase({ account: newAccountId() }), refusal('account_not_found'));
  });

  it('is found on the disk before the erasure, so these tests search in the right place', async () => {
    const email = newEmail();
    await open(email);
    if (process.env['ALMANAC_TEST_SERVERS'] !== 'containers') assert.equal(await onDisk(fixture.nats.dir, email), true);
  });
});

/** Whether any file of the server contains a text. */
const onDisk = async (dir: string, text: string): Promise<boolean> => {
  for (const entry of await readdir(dir, { recursive: true, withFileTypes: true })) {
    if (entry.isFile() && (await readFile(join(entry.parentPath, entry.name))).includes(text)) return true;
  }
  return false;
};
