import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, it } from 'node:test';
import { sumOf } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { exportOf, type RunningService, startWorld, type World } from './testing/world.js';

let world: World;
let service: RunningService;
before(async () => {
  world = await startWorld();
  service = await world.start();
});
after(async () => {
  await service.stop();
  await world.stop();
});
const figure = async (name: string, labels: Record<string, string> = {}) =>
  sumOf(await service.samples(), name, labels);

it('claims and purchases are counted once for each step that was recorded, and what is open is told', async () => {
  const account = await world.openAccount('pro');
  const export_id = randomUUID();
  await world.reserve(account, { export_id });
  await world.reserve(account, { export_id });
  await eventually(async () => assert.equal(await figure('almanac_reservations_open'), 1));
  assert.equal(await figure('almanac_grants_total', { outcome: 'reserved' }), 1);
  const asked = exportOf(world, account, export_id);
  await asked.requested();
  await asked.ready();
  await eventually(async () => assert.equal(await figure('almanac_reservations_open'), 0));
  assert.equal(await figure('almanac_grants_total', { outcome: 'confirmed' }), 1);
  assert.equal(await figure('almanac_grants_total', { outcome: 'released' }), undefined);
  await world.recordEvent('EV-1');
  const client = world.client(account);
  await client.add('EV-1');
  await client.checkOut();
  for (const outcome of ['started', 'fulfilled']) {
    assert.equal(await figure('almanac_checkouts_total', { outcome }), 1, outcome);
  }
  await eventually(async () => assert.equal(await figure('almanac_checkouts_open'), 0));
  assert.equal(await figure('almanac_payment_failures_total'), 0);
});
