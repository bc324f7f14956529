import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { setTimeout as delay } from 'node:timers/promises';
import { type StreamName, type UserName, userNames } from '@almanac/contracts';
import { createHealth, unixMicros } from '@almanac/runtime';
import { eventually } from '@almanac/testing';
import { Counter } from 'prom-client';
import { isPermissionViolation } from '../bus.js';
import { clockSkewCheck } from '../connection/clock-skew.js';
import { expectedTopology, followedBy, servesStatus } from '../rights/rights.js';
import { ensureStream } from '../streams/streams.js';
import { queryProcessStatus, serveProcessStatus } from './process-status.js';
import { startTestBus, type TestBus, failOnCall } from '../testing/test-bus.js';

let nats: TestBus;
before(async () => {
  nats = await startTestBus();
});
after(() => nats.stop());

describe('the status request', () => {
  it('is answered to the operator and to the gateway by each process of the gateway and the services', async () => {
    const health = createHealth();
    health.serving = true;
    health.checks.set('store', () => 'it is unavailable');
    health.degradable.set('cache', () => 'it is cold');
    new Counter({ name: 'almanac_counted_total', help: 'h', registers: [health.metrics] }).inc(3);
    const serving = [...userNames.filter(servesStatus), 'keys' as const];
    for (const user of serving) {
      const bus = await nats.connect(user);
      serveProcessStatus(bus, health, failOnCall);
      await bus.nc.flush();
    }
    const requestedUs = unixMicros();
    const replies = await queryProcessStatus(await nats.connect('operator'));
    const toGateway = await queryProcessStatus(await nats.connect('gateway'), { untilTimeout: false });
    assert.deepEqual(toGateway.map(({ service }) => service).toSorted(), serving.toSorted());
    assert.deepEqual(
      replies.map(({ service }) => service),
      serving.toSorted(),
    );
    for (const { ready, checks, degraded, samples, version, started_us, now_us } of replies) {
      assert.deepEqual([ready, checks], [false, { process: 'ok', store: 'it is unavailable' }]);
      assert.deepEqual(degraded, { cache: 'it is cold' });
      assert.equal(samples.find(({ name }) => name === 'almanac_counted_total')?.value, 3);
      assert.match(version, /^\d+\.\d+\.\d+$/);
      assert.ok(started_us < requestedUs && now_us >= requestedUs);
    }
  });

  it('is answered without metrics on request', async () => {
    const [answer] = await queryProcessStatus(await nats.connect('gateway'), {
      untilTimeout: false,
      withMetrics: false,
    });
    assert.deepEqual(answer?.samples, []);
    assert.ok((answer?.memory_bytes ?? 0) > 1e6);
  });

  it('does not wait for the timeout, but for each process that announced itself, on request', async () => {
    const slow = createHealth();
    slow.checks.set('store', () => delay(1_000, 'slow', { ref: false }));
    const bus = await nats.connect('catalog');
    serveProcessStatus(bus, slow, failOnCall);
    await bus.nc.flush();
    const replies = await queryProcessStatus(await nats.connect('operator'), { untilTimeout: false });
    const services = replies.map(({ service }) => service);
    assert.deepEqual(services, [...userNames.filter(servesStatus), 'catalog', 'keys'].toSorted());
    assert.ok(replies.some(({ checks }) => checks['store'] === 'slow'));
  });

  it('comes with permission to see every stream and durable consumer, and to change none', async () => {
    const { jsm } = await nats.connect('operator');
    const isMissing = (error: unknown): boolean =>
      error instanceof Error && 'code' in error && !isPermissionViolation(error);
    for (const stream of expectedTopology.streams) await assert.rejects(jsm.streams.info(stream), isMissing, stream);
    for (const { stream, durable } of expectedTopology.consumers) {
      await assert.rejects(jsm.consumers.info(stream, durable), isMissing, durable);
      // The user follows these streams, and its permission to remove its own consumers cannot exclude a name.
      if (['EVT_COMMERCE', 'EVT_KEYS', 'EVT_EXPORT'].includes(stream)) continue;
      await assert.rejects(jsm.consumers.delete(stream, durable), isPermissionViolation, durable);
    }
  });
});

const hourMs = 3_600_000;

describe('the clock check of a process', () => {
  const services = userNames.filter((user) => servesStatus(user));
  const streamOf = (user: UserName): StreamName => followedBy(user) ?? assert.fail(`${user} cannot ask for the time`);

  // permissions.int.spec.ts shows that each user may follow its streams, which is all that the check needs.
  const asking = ['keys', 'export'] as const;

  before(async () => {
    const admin = await nats.connect('admin');
    for (const stream of new Set(asking.map(streamOf))) await ensureStream(admin, stream);
  });

  it('is possible for every service', () => assert.equal(services.map(streamOf).length, services.length));

  for (const user of asking) {
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
