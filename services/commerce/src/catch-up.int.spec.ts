import assert from 'node:assert/strict';
import { after, before, it } from 'node:test';
import { connectBus, subjects } from '@almanac/bus';
import { createLogger } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { followOpenAccounts } from './account/open-accounts.js';
import { type CommerceFixture, startFixture } from './testing/fixture.js';

const events = 5_000;

let fixture: CommerceFixture;
before(async () => {
  fixture = await startFixture();
});
after(() => fixture.stop());

/** Publishes events of another entity, then reserves a grant as the last event. */
const fillStream = async (): Promise<void> => {
  const service = await fixture.start();
  const account = await fixture.openAccount('pro');
  const bus = await connectBus({ url: fixture.nats.url, user: 'commerce', password: 'test' });
  const event = { id: 'x', type: 'X', version: 1, time: 1, account: null, data: {}, state: {} };
  const sent: Promise<unknown>[] = [];
  for (let n = 0; n < events; n += 1) {
    sent.push(bus.js.publish(subjects.unlock(account, `E-${n}`), JSON.stringify(event)));
    if (sent.length >= 500) await Promise.all(sent.splice(0));
  }
  await Promise.all(sent);
  await bus.close();
  await fixture.reserve(account);
  await service.stop();
};

it('the service is ready only after it has read the stream, and says how far it is until then', async () => {
  await fillStream();
  const bus = await connectBus({ url: fixture.nats.url, user: 'commerce', password: 'test' });
  const open = await followOpenAccounts(bus, createLogger('commerce', 'silent'));
  assert.match(open.behind() ?? '', /^\d+ of 500\d events read \(\d+ %\)$/);
  await eventually(() => assert.equal(open.behind(), null));
  assert.equal([...open.states()].length, 1);
  await open.stop();
  await bus.close();

  const service = await fixture.start();
  await eventually(async () => assert.equal((await service.readiness()).checks['open_accounts'], 'ok'));
  const [reservations] = (await service.samples()).filter(({ name }) => name === 'almanac_reservations_open');
  assert.equal(reservations?.value, 1);
  await service.stop();
});
