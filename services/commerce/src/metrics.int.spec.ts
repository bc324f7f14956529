import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { sumOfSamples } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { exportOf, type RunningService, startFixture, type CommerceFixture } from './testing/fixture.js';

let fixture: CommerceFixture;
let service: RunningService;
before(async () => {
  fixture = await startFixture();
  service = await fixture.start();
});
after(async () => {
  await service.stop();
  await fixture.stop();
});
const figure = async (name: string, labels: Record<string, string> = {}) =>
  sumOfSamples(await service.samples(), name, labels);

it('reservations and purchases are counted once for each recorded step, and open ones are shown', async () => {
  const account = await fixture.openAccount('pro');
  const export_id = randomUUID();
  await fixture.reserve(account, { export_id });
  await fixture.reserve(account, { export_id });
  await eventually(async () => assert.equal(await figure('almanac_reservations_open'), 1));
  assert.equal(await figure('almanac_grants_total', { outcome: 'reserved' }), 1);
  const exportEvents = exportOf(fixture, account, export_id);
  await exportEvents.requested();
  await exportEvents.ready();
  await eventually(async () => assert.equal(await figure('almanac_reservations_open'), 0));
  assert.equal(await figure('almanac_grants_total', { outcome: 'confirmed' }), 1);
  assert.equal(await figure('almanac_grants_total', { outcome: 'released' }), undefined);
  await fixture.recordEvent('EV-1');
  const client = fixture.client(account);
  await client.add('EV-1');
  await client.checkOut();
  for (const outcome of ['started', 'fulfilled']) {
    assert.equal(await figure('almanac_checkouts_total', { outcome }), 1, outcome);
  }
  await eventually(async () => assert.equal(await figure('almanac_checkouts_open'), 0));
  assert.equal(await figure('almanac_payment_failures_total'), 0);
});
