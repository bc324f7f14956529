import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { connectRedis, recordLastUsed, type Redis, redisKeys } from '@almanac/redis';
import { createHealth, createLogger } from '@almanac/runtime';
import { eventually, testRedis, type TestServer, testTls } from '@almanac/testing';
import { type RedisServers, startRedisCluster, startRedisWithTls } from '../testing/redis-servers.js';
import { connectTestRedis } from '../testing/redis.js';
import { leaseScriptOf, reserveMs, windowMs } from './lease-script.js';
import { type LeaseRequest, sharedLeases } from './leases.js';
import { watchPeerUsage } from './peer-usage.js';

const clockKey = 'test:now';
const script = leaseScriptOf(`tonumber(redis.call('GET', '${clockKey}'))`);
const login = { user: 'gateway', password: 'secret' };
const none = { all: 0, unlisted: 0 };

describe('leases in Redis', () => {
  let server: TestServer;
  let redis: Redis;
  before(async () => {
    server = await testRedis();
    redis = await connectTestRedis(server);
  });
  after(async () => {
    redis.disconnect();
    await server.stop();
  });

  const at = (ms: number) => redis.set(clockKey, 1_700_000_000_000 + ms);
  const requestOf = (account: string, limit: number, more: Partial<LeaseRequest> = {}): LeaseRequest => ({
    account,
    limit,
    reserve: 0,
    waiting: 1,
    unspent: 0,
    held: none,
    epoch: '',
    ...more,
  });

  it('stay within the limit in total, however many gateways request them at once', async () => {
    const gateways = ['a', 'b', 'c', 'd'].map((name) => sharedLeases(redis, name));
    const request = requestOf('all', 97, { waiting: 5, reserve: 8 });
    const requests = Array.from({ length: 25 }, () => gateways.map((gateway) => gateway.lease(request))).flat();
    const granted = await Promise.all(requests);
    assert.equal(
      granted.reduce((sum, { tokens }) => sum + tokens, 0),
      97,
    );
    for (const one of granted) {
      assert.ok(one.resetMs > 0 && one.resetMs <= windowMs);
      assert.ok(one.tokens > 0 || one.free === 0);
    }
  });

  it('count until a minute after their use was reported, and no longer', async () => {
    const [a, b] = ['a', 'b'].map((name) => sharedLeases(redis, name, script));
    assert.ok(a && b);
    await at(0);
    assert.equal((await a.lease(requestOf('slides', 50, { waiting: 40, reserve: 10 }))).tokens, 50);
    await at(5_000);
    const { tokens, epoch } = await a.lease(requestOf('slides', 50, { waiting: 0, unspent: 4 }));
    assert.equal(tokens, 0);
    // 40 were spent at 0 s, 6 were reported at 5 s, and 4 were returned.
    assert.equal((await b.lease(requestOf('slides', 50, { waiting: 10, epoch }))).tokens, 4);
    await at(windowMs - 1);
    const full = await b.lease(requestOf('slides', 50, { waiting: 10, epoch }));
    assert.deepEqual([full.tokens, full.resetMs], [0, 1]);
    await at(windowMs);
    assert.equal((await b.lease(requestOf('slides', 50, { waiting: 100, epoch }))).tokens, 40);
  });

  it('in reserve of a gateway that died leave the window after its reserve ended', async () => {
    const [dead, other] = ['dead', 'other'].map((name) => sharedLeases(redis, name, script));
    assert.ok(dead && other);
    await at(0);
    await dead.lease(requestOf('dead', 50, { waiting: 0, reserve: 10 }));
    await at(windowMs + reserveMs - 1);
    assert.equal((await other.lease(requestOf('dead', 50, { waiting: 50 }))).tokens, 40);
    await at(windowMs + reserveMs);
    assert.equal((await other.lease(requestOf('dead', 50, { waiting: 50 }))).tokens, 10);
  });

  it('in reserve are shared by the gateways, and end where the reserve of all ends', async () => {
    await at(0);
    const granted: number[] = [];
    for (let n = 0; n < 40; n += 1) {
      const { tokens } = await sharedLeases(redis, `g${n}`, script).lease(requestOf('shared', 6_000, { reserve: 120 }));
      granted.push(tokens - 1);
    }
    assert.equal(granted[0], 120);
    const sum = granted.reduce((total, one) => total + one, 0);
    assert.ok(sum <= 120, `${sum}`);
  });

  it('are restored after Redis lost them when their gateways request another', async () => {
    const a = sharedLeases(redis, 'a');
    const b = sharedLeases(redis, 'b');
    // Often enough that a list begins in the same millisecond as the lost one.
    for (let n = 0; n < 100; n += 1) {
      const request = requestOf(`lost-${n}`, 60, { waiting: 20 });
      const { epoch } = await a.lease(request);
      await b.lease({ ...request, epoch });
      await redis.del(redisKeys.leases(request.account));
      const held = { all: 20, unlisted: 0 };
      const restored = await a.lease({ ...request, epoch, held });
      assert.deepEqual([restored.tokens, restored.free], [20, 20]);
      assert.notEqual(restored.epoch, epoch);
      assert.equal((await b.lease({ ...request, epoch, held })).tokens, 0);
      assert.equal((await a.lease({ ...request, epoch: restored.epoch, held })).tokens, 0, 'counted once');
    }
  });

  it('expire with an account that sends no more requests', async () => {
    await sharedLeases(redis, 'a').lease(requestOf('gone', 60));
    const ttl = await redis.pttl(redisKeys.leases('gone'));
    assert.ok(ttl > 0 && ttl <= windowMs + reserveMs, `${ttl}`);
  });

  it('run on a Redis Cluster of three masters, with the rights of a gateway', async () => {
    const servers = await startRedisCluster({ login });
    const cluster = await connectTestRedis(servers, { REDIS_USER: login.user, REDIS_PASSWORD: login.password });
    const free: (number | undefined)[] = [];
    const peers = watchPeerUsage({
      redis: cluster,
      gateway: 'b',
      log: createLogger('test', 'silent'),
      onUsage: (_account, left) => free.push(left),
      onJoined: () => undefined,
    });
    try {
      await eventually(() => assert.ok(Number.isFinite(peers.sinceMs())));
      const [a, b] = ['a', 'b'].map((name) => sharedLeases(cluster, name));
      assert.ok(a && b);
      await a.present();
      await b.present();
      assert.equal(b.gateways(), 2);
      // So many accounts that each master has some.
      for (let n = 0; n < 60; n += 1) {
        const request = requestOf(`account-${n}`, 60, { waiting: 40 });
        assert.equal((await b.lease(request)).tokens, 40);
        assert.deepEqual([(await a.lease(request)).tokens, free.length >= n], [20, true]);
        await eventually(() => assert.equal(free.length, n + 1));
      }
      await recordLastUsed(cluster, new Map([1, 2, 3].map((n) => [`account-${n}`, new Map([['key', n]])])));
    } finally {
      peers.stop();
      cluster.disconnect();
      await servers.stop();
    }
  });

  it('count the gateways, and give each another rank', async () => {
    const [a, b] = ['a', 'b'].map((name) => sharedLeases(redis, name));
    assert.ok(a && b);
    await a.present();
    assert.deepEqual([a.gateways(), a.rank()], [1, 0]);
    await b.present();
    await a.present();
    assert.deepEqual([a.gateways(), a.rank(), b.gateways(), b.rank()], [2, 0, 2, 1]);
    await b.leave();
    await a.present();
    assert.equal(a.gateways(), 1);
    const [seconds = 0] = await redis.time();
    await redis.zadd(redisKeys.gateways, seconds - 16, 'dead');
    await a.present();
    assert.equal(a.gateways(), 1);
  });
});

describe('Redis over TLS', { timeout: 60_000 }, () => {
  let server: RedisServers;
  const stops: (() => void)[] = [];
  before(async () => {
    server = await startRedisWithTls({ login });
  });
  after(async () => {
    for (const stop of stops) stop();
    await server.stop();
  });

  const connect = (url: string, ca?: string) => {
    const config = { REDIS_URL: url, REDIS_USER: login.user, REDIS_PASSWORD: login.password, REDIS_CA: ca };
    const runtime = { log: createLogger('test', 'silent'), health: createHealth() };
    const redis = connectRedis({ config, runtime, without: 'the test fails' });
    stops.push(() => redis.disconnect());
    return redis;
  };

  it('answers who knows its authority, is refused without it, and answers nobody without TLS', async () => {
    const authority = await readFile(testTls.authority, 'utf8');
    const redis = connect(server.url, authority);
    await eventually(async () => assert.equal(await redis.ping(), 'PONG'));
    const plain = server.url.replace('rediss', 'redis');
    for (const refused of [connect(server.url), connect(plain)]) {
      await once(refused, 'error');
      await assert.rejects(refused.ping());
      assert.notEqual(refused.status, 'ready');
    }
    assert.throws(() => connect(plain, authority), /REDIS_CA needs a REDIS_URL/);
  });
});
