import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createHealth, createLogger, readiness } from '@almanac/runtime';
import { eventually, tcpLink } from '@almanac/testing';
import { type Bus, connectBus } from '../bus.js';
import { connectFromConfig } from './connect-from-config.js';
import { startTestBus, type TestBus } from '../testing/test-bus.js';

describe('a process on the bus', () => {
  let nats: TestBus;
  let bus: Bus;
  const health = createHealth();
  const stops: (() => Promise<void> | void)[] = [];
  const lines: string[] = [];

  const connect = (to: TestBus) => {
    const log = createLogger('keys', 'info', { write: (line) => void lines.push(line) });
    const config = { NATS_URL: to.server.url, NATS_USER: 'keys', NATS_PASSWORD: 'test', NATS_REPLICAS: 1 };
    return connectFromConfig(config, { health, log, onStop: (_, stop) => void stops.push(stop) });
  };

  before(async () => {
    nats = await startTestBus();
    bus = await connect(nats);
    health.serving = true;
  });
  after(async () => {
    for (const stop of stops) await stop();
    await nats.stop();
  });

  it('is ready while its server answers', async () => {
    assert.deepEqual(await readiness(health), { ready: true, checks: { process: 'ok', nats: 'ok' } });
  });

  it('is not ready while its server is frozen, and detects this in time', async () => {
    process.kill(nats.server.pid, 'SIGSTOP');
    try {
      // The signal takes effect a moment later. The check's own message shows that the readiness limit was not reached.
      await eventually(async () => {
        const state = await readiness(health);
        assert.deepEqual([state.ready, state.checks['nats']], [false, 'no answer within 1500 ms']);
      });
    } finally {
      process.kill(nats.server.pid, 'SIGCONT');
    }
    await eventually(async () => assert.ok((await readiness(health)).ready));
  });

  it('logs permission errors', async () => {
    bus.nc.publish('evt.commerce.a', '{}');
    await eventually(() =>
      assert.ok(lines.some((line) => line.includes('evt.commerce.a') && line.includes('"error"'))),
    );
  });

  it('logs a lost and a restored connection without its password', async () => {
    await nats.server.restart();
    await eventually(() => assert.ok(lines.some((line) => line.includes('NATS is available again'))));
    assert.ok(lines.some((line) => line.includes('NATS is unavailable')));
    assert.ok(!lines.join('').includes('"test"'));
  });

  it('disconnects also if the connection is lost meanwhile', { timeout: 60_000 }, async () => {
    const link = await tcpLink();
    link.leadTo(Number(new URL(nats.server.url).port));
    const own = await connectBus({ url: `nats://127.0.0.1:${link.port}`, user: 'keys', password: 'test' });
    // So the server's answer is still on its way.
    const slow = link.slow(1_000, 300);
    const [closed] = await Promise.allSettled([own.close(), link.cut(1_000), slow]);
    await own.nc.close();
    await own.streams.close();
    await link.close();
    assert.deepEqual(closed, { status: 'fulfilled', value: undefined });
  });

  it('stops even while its server is unavailable', { timeout: 60_000 }, async () => {
    const other = await startTestBus();
    await connect(other);
    process.kill(other.server.pid, 'SIGSTOP');
    try {
      await stops.pop()?.();
    } finally {
      process.kill(other.server.pid, 'SIGCONT');
    }
    assert.equal((await readiness(health)).checks['nats'], 'the connection is closed');
    await other.stop();
  });
});
