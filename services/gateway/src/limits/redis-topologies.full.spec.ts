// In the full run only: elections of Sentinels and of a cluster take many seconds. `leases.int.spec.ts` has one server with TLS,
// and a cluster.
import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { connectRedis, type Redis, subscribingClient } from '@almanac/redis';
import { createHealth, createLogger } from '@almanac/runtime';
import { eventually, tcpLink, type TcpLink, testTls } from '@almanac/testing';
import {
  type RedisServers,
  type RedisWithSentinels,
  startRedisCluster,
  startRedisWithSentinels,
} from '../testing/redis-servers.js';
import { sharedLeases } from './leases.js';
import { watchPeerUsage } from './peer-usage.js';

const login = { user: 'gateway', password: 'secret' };
const log = createLogger('test', 'silent');

const kinds: readonly (readonly [string, () => Promise<RedisServers & { killPrimary?(): Promise<void> }>])[] = [
  ['Sentinels', () => startRedisWithSentinels({ login, tls: true })],
  ['a Redis Cluster', () => startRedisCluster({ login, tls: true })],
];

for (const [kind, start] of kinds) {
  describe(`Redis over TLS with ${kind}`, () => {
    let servers: Awaited<ReturnType<typeof start>>;
    let authority = '';
    const stops: (() => void)[] = [];
    before(async () => {
      authority = await readFile(testTls.authority, 'utf8');
      servers = await start();
    });
    after(async () => {
      for (const stop of stops) stop();
      await servers.stop();
    });

    const connect = (url: string, ca?: string) => {
      const health = createHealth();
      const config = { REDIS_URL: url, REDIS_USER: login.user, REDIS_PASSWORD: login.password, REDIS_CA: ca };
      const redis = connectRedis({ config, runtime: { log, health }, without: 'the test fails' });
      stops.push(() => redis.disconnect());
      return redis;
    };
    const leased = async (redis: Redis, account: string): Promise<number> => {
      const request = {
        account,
        limit: 60,
        reserve: 0,
        waiting: 40,
        unspent: 0,
        held: { all: 0, unlisted: 0 },
        epoch: '',
      };
      return (await eventually(() => sharedLeases(redis, 'a').lease(request))).tokens;
    };

    it('has the leases and the messages of gateways', async () => {
      const redis = connect(servers.url, authority);
      const peers = watchPeerUsage({ redis, gateway: 'b', log, onUsage: () => undefined, onJoined: () => undefined });
      stops.push(() => peers.stop());
      await eventually(() => assert.ok(Number.isFinite(peers.sinceMs())));
      await eventually(() => assert.equal(redis.status, 'ready'));
      for (let n = 0; n < 20; n += 1) assert.equal(await leased(redis, `account-${n}`), 40);
    });

    it('is refused without its authority, and answers nobody without TLS', async () => {
      for (const redis of [connect(servers.url), connect(servers.url.replace('rediss', 'redis'))]) {
        await once(redis, 'error');
        await assert.rejects(redis.ping());
        assert.notEqual(redis.status, 'ready');
      }
      assert.throws(() => connect(servers.url.replace('rediss', 'redis'), authority), /REDIS_CA needs a REDIS_URL/);
    });

    if (kind === 'Sentinels')
      it('is used again after a failover', async () => {
        const redis = connect(servers.url, authority);
        await eventually(() => assert.equal(redis.status, 'ready'));
        await servers.killPrimary?.();
        await eventually(async () => assert.equal(await redis.ping(), 'PONG'), { timeoutMs: 60_000 });
        assert.equal(await leased(redis, 'after'), 40);
      });
  });
}

describe('a client that asks a slow Sentinel for the primary', () => {
  let servers: RedisWithSentinels;
  let slow: TcpLink;
  const clients: Redis[] = [];
  before(async () => {
    servers = await startRedisWithSentinels({ login });
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
