import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createHealth } from '@almanac/runtime';
import { Counter } from 'prom-client';
import { isPermissionViolation } from './bus.js';
import { subjects, userNames } from './names.js';
import { expected, tellsStatus } from './permissions.js';
import { askProcesses, tellStatus } from './process-status.js';
import { startTestBus, type TestBus, unexpected } from './testing/test-bus.js';

describe('the status of all processes', () => {
  let nats: TestBus;
  before(async () => {
    nats = await startTestBus();
  });
  after(() => nats.stop());

  it('is told to the operator by the gateway and every service, each process for itself', async () => {
    const health = createHealth();
    health.serving = true;
    health.checks.set('store', () => 'it is away');
    health.optional.set('cache', () => 'it is cold');
    new Counter({ name: 'almanac_counted_total', help: 'h', registers: [health.metrics] }).inc(3);
    const telling = [...userNames.filter(tellsStatus), 'keys' as const];
    for (const user of telling) {
      const bus = await nats.connect(user);
      tellStatus(bus, health, unexpected);
      await bus.nc.flush();
    }
    const askedUs = Date.now() * 1_000;
    const said = await askProcesses(await nats.connect('operator'));
    assert.deepEqual(
      said.map(({ service }) => service),
      telling.toSorted(),
    );
    for (const { ready, checks, degraded, samples, version, started_us, now_us } of said) {
      assert.deepEqual([ready, checks], [false, { process: 'ok', store: 'it is away' }]);
      assert.deepEqual(degraded, { cache: 'it is cold' });
      assert.equal(samples.find(({ name }) => name === 'almanac_counted_total')?.value, 3);
      assert.match(version, /^\d+\.\d+\.\d+$/);
      assert.ok(started_us < askedUs && now_us >= askedUs);
    }
  });

  it('is asked for by nobody else, who may not listen either', async () => {
    for (const user of userNames.filter((name) => name !== 'operator')) {
      const { nc } = await nats.connect(user);
      await assert.rejects(nc.request(subjects.status, '', { timeout: 30_000 }), isPermissionViolation, user);
    }
    for (const user of userNames.filter((name) => !tellsStatus(name))) {
      const { nc } = await nats.connect(user);
      const error = await new Promise((resolve) => {
        nc.subscribe(subjects.status, { callback: (failure) => resolve(failure) });
      });
      assert.ok(isPermissionViolation(error), user);
    }
  });

  it('comes with the right to see every stream and durable consumer, and to change none', async () => {
    const { jsm } = await nats.connect('operator');
    const isMissing = (error: unknown): boolean =>
      error instanceof Error && 'code' in error && !isPermissionViolation(error);
    for (const stream of expected.streams) await assert.rejects(jsm.streams.info(stream), isMissing, stream);
    for (const { stream, durable } of expected.consumers) {
      await assert.rejects(jsm.consumers.info(stream, durable), isMissing, durable);
      // It follows these, and the right to remove its own followers cannot leave out a name.
      if (['EVT_COMMERCE', 'EVT_KEYS', 'EVT_EXPORT'].includes(stream)) continue;
      await assert.rejects(jsm.consumers.delete(stream, durable), isPermissionViolation, durable);
    }
  });
});
