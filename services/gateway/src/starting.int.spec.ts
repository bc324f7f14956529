import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { natsAccounts } from '@almanac/bus';
import { createHealth, createLogger, parseConfig } from '@almanac/runtime';
import { eventually, killableNats, testRedis, type TestServer } from '@almanac/testing';
import { gatewayConfig } from './config.js';
import { startGateway } from './start.js';
import { type ServiceStubs, startServiceStubs } from './testing/service-stubs.js';

const password = randomUUID();
const accounts = natsAccounts(() => password, { timeseries: password });

describe('a gateway that starts without NATS', { timeout: 240_000 }, () => {
  let nats: Awaited<ReturnType<typeof killableNats>>;
  let redis: TestServer;
  let edge: ServiceStubs;
  let url = '';
  let started: Promise<void>;
  const health = createHealth();
  const stops: (() => Promise<void> | void)[] = [];
  const logged: string[] = [];

  before(async () => {
    nats = await killableNats({ accounts });
    redis = await testRedis();
    edge = await startServiceStubs(nats.url, { user: 'timeseries', password, partitions: 1 });
    await nats.kill();
    const environment = { NATS_URL: nats.url, NATS_PASSWORD: password, REDIS_URL: redis.url, PORT: '0' };
    const config = parseConfig(gatewayConfig, { ...environment, SESSION_SECRET: randomUUID() });
    const log = createLogger('gateway', 'info', { write: (line) => void logged.push(line) });
    started = startGateway(config, { log, health, onStop: (_name, stop) => void stops.unshift(stop) });
    const port = await eventually(() => {
      const [, found] = /"port":(\d+)/.exec(logged.join('')) ?? [];
      assert.ok(found !== undefined);
      return found;
    });
    url = `http://127.0.0.1:${port}`;
  });
  after(async () => {
    for (const stop of stops.splice(0)) await stop();
    await started.catch(() => undefined);
    await edge.stop();
    await Promise.all([nats.stop(), redis.stop()]);
  });

  it('is alive, not ready, says why, and answers 503 with Retry-After', async () => {
    assert.equal((await fetch(`${url}/livez`)).status, 200);
    await eventually(async () => {
      const ready = await fetch(`${url}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /"nats":"[^"]*refused/i);
    });
    const refused = await fetch(`${url}/api/v1/categories`, { headers: { 'x-request-id': 'early' } });
    assert.equal(refused.status, 503);
    assert.equal(refused.headers.get('retry-after'), '1');
    assert.deepEqual(await refused.json(), {
      detail: 'This server is starting. Try again in a few seconds.',
      code: 'unavailable',
      request_id: 'early',
    });
  });

  it('serves by itself once NATS is available', async () => {
    await nats.startAgain();
    await started;
    health.serving = true;
    await eventually(async () => assert.equal((await fetch(`${url}/readyz`)).status, 200));
    const key = edge.keys.createKey('internal');
    await eventually(async () => {
      const answer = await fetch(`${url}/api/v1/exports/formats`, { headers: { authorization: `Bearer ${key.text}` } });
      assert.equal(answer.status, 200);
    });
  });
});
