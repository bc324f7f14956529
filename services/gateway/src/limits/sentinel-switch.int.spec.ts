import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { connectRedis, type Redis, subscribingClient } from '@almanac/redis';
import { createHealth, createLogger } from '@almanac/runtime';
import { eventually, tcpLink, type TcpLink } from '@almanac/testing';
import { type RedisWithSentinels, startRedisWithSentinels } from '../testing/redis-servers.js';

const login = { user: 'gateway', password: 'secret' };

describe('a client that asks a slow Sentinel for the primary', { timeout: 240_000 }, () => {
  let servers: RedisWithSentinels;
  let slow: TcpLink;
  const clients: Redis[] = [];
  before(async () => {
    servers = await startRedisWithSentinels(login);
    slow = await tcpLink();
    slow.leadTo(Number(new URL(servers.url.replace(/,.*\//, '/')).port));
  });
  after(async () => {
    for (const client of clients) client.disconnect();
    await slow.close();
    await servers.stop();
  });

  it('is used again, although the other Sentinels announce a new primary meanwhile', async () => {
    const redis = connectRedis({
      config: {
        REDIS_URL: `redis+sentinel://127.0.0.1:${slow.port}/main`,
        REDIS_USER: login.user,
        REDIS_PASSWORD: login.password,
      },
      runtime: { log: createLogger('test', 'silent'), health: createHealth() },
      without: 'the test fails',
    });
    clients.push(redis, subscribingClient(redis));
    const areReady = () =>
      eventually(
        () =>
          assert.deepEqual(
            clients.map(({ status }) => status),
            ['ready', 'ready'],
          ),
        { timeoutMs: 60_000 },
      );
    await areReady();
    const stalled = slow.stall(5_000);
    await servers.beginSwitch();
    await stalled;
    await areReady();
    assert.equal(await redis.ping(), 'PONG');
  });
});
