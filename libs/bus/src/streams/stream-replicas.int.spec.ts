import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { allMetrics, createHealth, readSamples } from '@almanac/runtime';
import { type ConfiguredNatsCluster, configuredNatsCluster, eventually } from '@almanac/testing';
import { type AdminBus, connectBus } from '../bus.js';
import { ensureStream } from './streams.js';

describe('the copies of a stream in the metrics of its owner', { timeout: 300_000 }, () => {
  let cluster: ConfiguredNatsCluster;
  let bus: AdminBus;
  before(async () => {
    cluster = await configuredNatsCluster();
    await cluster.allHealthy();
    bus = await connectBus({ url: cluster.url, user: 'keys', password: cluster.passwordOf('keys'), replicas: 3 });
    await eventually(() => ensureStream(bus, 'EVT_KEYS'), { timeoutMs: 60_000 });
  });
  after(async () => {
    await bus.close();
    await cluster.stop();
  });

  const areMissing = (count: number): Promise<void> =>
    eventually(
      async () => {
        const samples = await readSamples(allMetrics(createHealth()));
        const found = samples.find(
          ({ name, labels }) => name === 'almanac_stream_replicas_missing' && labels['stream'] === 'EVT_KEYS',
        );
        assert.equal(found?.value, count);
      },
      { timeoutMs: 120_000 },
    );

  it('are complete, lack one while a server is gone, and are complete when it is back', async () => {
    await areMissing(0);
    await cluster.kill('nats-2');
    await bus.js.publish('evt.keys.a', '{}').catch(() => undefined);
    await areMissing(1);
    await cluster.start('nats-2');
    await areMissing(0);
  });
});
