import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { StreamName } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { clockSkewCheck } from './clock-skew.js';
import { type UserName, userNames } from './names.js';
import { followedBy, servesStatus } from './rights.js';
import { ensureStream } from './streams.js';
import { startTestBus, type TestBus } from './testing/test-bus.js';

const hourMs = 3_600_000;

describe('the clock check of a process', () => {
  let nats: TestBus;
  const services = userNames.filter((user) => servesStatus(user));
  const streamOf = (user: UserName): StreamName => followedBy(user) ?? assert.fail(`${user} cannot ask for the time`);

  before(async () => {
    nats = await startTestBus();
    const admin = await nats.connect('admin');
    for (const stream of new Set(services.map(streamOf))) await ensureStream(admin, stream);
  });
  after(() => nats.stop());

  for (const user of services) {
    it(`names the user ${user} when its clock is an hour off, and needs no extra permissions`, async () => {
      const bus = await nats.connect(user);
      const ahead = clockSkewCheck(bus, () => Date.now() + hourMs);
      await eventually(async () => assert.match((await ahead()) ?? '', /is 3[56]\d\d s ahead of that of nats-server/));
      const slowClock = clockSkewCheck(bus, () => Date.now() - hourMs);
      await eventually(async () =>
        assert.match((await slowClock()) ?? '', /is 3[56]\d\d s behind that of nats-server/),
      );
    });
  }

  it('runs once a minute and leaves no consumer behind', async () => {
    const bus = await nats.connect('keys');
    let read = 0;
    const check = clockSkewCheck(bus, () => {
      read += 1;
      return Date.now() + hourMs;
    });
    await eventually(async () => assert.match((await check()) ?? '', /ahead/));
    for (let n = 0; n < 5; n += 1) assert.match((await check()) ?? '', /ahead/);
    assert.equal(read, 2);
    const admin = await nats.connect('admin');
    await eventually(async () => assert.equal((await admin.jsm.streams.info('EVT_KEYS')).state.consumer_count, 0));
  });

  it('passes when the clock is right', async () => {
    const bus = await nats.connect('keys');
    let read = 0;
    const check = clockSkewCheck(bus, () => {
      read += 1;
      return Date.now();
    });
    await eventually(async () => {
      assert.equal(await check(), null);
      assert.equal(read, 2);
    });
    assert.equal(await check(), null);
  });
});
