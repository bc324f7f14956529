import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { follow, subjects } from '@almanac/bus';
import { keysBeat } from '@almanac/contracts';
import { eventually, freeze } from '@almanac/testing';
import { z } from 'zod';
import { beatMs } from './beat.js';
import { callsOf, startWorld, type World } from './testing/world.js';

describe('the beat of the keys service', () => {
  let world: World;
  let service: { stop(): Promise<void> };
  const heard: { seq: number }[] = [];
  before(async () => {
    world = await startWorld();
    world.gateway.nc.subscribe(subjects.keysBeat, {
      callback: (error, message) => {
        if (error) throw error;
        heard.push(keysBeat.parse(message.json()));
      },
    });
    service = await world.start();
    await world.startCommerce();
  });
  after(async () => {
    await service.stop();
    await world.stop();
  });
  const next = async (): Promise<{ seq: number }> => {
    const { length } = heard;
    return eventually(() => heard[length] ?? assert.fail('no beat'));
  };

  it('comes again and again, and carries how far EVT_KEYS has got', async () => {
    const calls = callsOf(world);
    const account = await world.openAccount('pro');
    let seen = 0;
    const following = await follow(world.gateway, {
      stream: 'EVT_KEYS',
      from: 'first',
      state: z.unknown(),
      onEvent: ({ seq }) => (seen = seq),
      onUnreadable: (error) => assert.fail(String(error)),
    });
    for (let n = 1; n <= 3; n += 1) {
      await calls.create(account, `k${n}`);
      await eventually(() => assert.ok(heard.some(({ seq }) => seq >= n)));
    }
    await eventually(() => assert.equal(seen, 3));
    await following.stop();
    assert.equal((await next()).seq, seen);
    const from = heard.length;
    await eventually(() => assert.ok(heard.length >= from + 5));
  });

  it('says nothing old: a question that was answered late is not told', async () => {
    await next();
    const { length } = world.logged();
    const said = () => world.logged().slice(length);
    const goOn = await freeze(world.nats.pid);
    try {
      await eventually(() => assert.match(said(), /no beat/));
    } finally {
      goOn();
    }
    await next();
    await eventually(() => assert.match(said(), /the beat is back/));
  });

  it('goes on after the server was lost', async () => {
    const { seq } = await next();
    await world.nats.restart();
    assert.equal((await next()).seq, seq);
  });

  it('ends with the service', async () => {
    await next();
    await service.stop();
    await world.gateway.nc.flush();
    const { length } = heard;
    // A beat that must not come can only be waited for.
    await delay(3 * beatMs);
    assert.equal(heard.length, length);
    service = await world.start();
    await next();
  });
});
