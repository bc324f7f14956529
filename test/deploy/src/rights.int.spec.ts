import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { S3Client } from '@aws-sdk/client-s3';
import { connectBus } from '@almanac/bus';
import { userNames } from '@almanac/contracts';
import { bucketPolicy, slabsPrefix } from '@almanac/object-store';
import { type Redis, redisChannels, redisUserNames } from '@almanac/redis';
import { Redis as PlainRedis } from 'ioredis';
import {
  expectedClickHouseAccess,
  canLogIn,
  everyTable,
  onServer,
  onStaging,
  onTable,
  statement,
} from './rights/clickhouse.js';
import { connected, everyCommand, everyKey, expectedRedisAccess, refusal, withKey } from './rights/redis.js';
import { inBucket, isRefused, nowhere, ofObject, seenBuckets } from './rights/s3.js';
import {
  redisOperator,
  type RightsFixture,
  servicesAt,
  startRightsFixture,
  environmentVariable,
} from './rights/fixture.js';

/** Throws for an empty list, so that a test without cases fails. */
const some = <T>(list: readonly T[]): readonly T[] => {
  assert.ok(list.length > 0, 'nothing is tried');
  return list;
};

describe('the credentials of a service', () => {
  let fixture: RightsFixture;
  before(async () => {
    fixture = await startRightsFixture();
  });
  after(() => fixture.stop());

  it('are given to the services that need them, and to no other', () => {
    assert.deepEqual(servicesAt(fixture, 'REDIS_URL').toSorted(), [...redisUserNames].toSorted());
    assert.deepEqual(
      servicesAt(fixture, 'CLICKHOUSE_URL').toSorted(),
      Object.keys(expectedClickHouseAccess).toSorted(),
    );
    assert.deepEqual(servicesAt(fixture, 'S3_ENDPOINT').toSorted(), ['export', 'timeseries']);
  });

  describe('at NATS', () => {
    it('accept each user with its own password and not with that of another (libs/bus tests the subjects)', async () => {
      const { natsUrl: url } = fixture.infrastructure;
      assert.equal(new Set(Object.values(fixture.secrets.nats)).size, userNames.length);
      for (const user of userNames) {
        await (await connectBus({ url, user, password: fixture.secrets.nats[user] })).close();
        const other = userNames.find((name) => name !== user) ?? assert.fail();
        const password = fixture.secrets.nats[other];
        await assert.rejects(connectBus({ url, user, password }), /authorization violation/i, `${user} as ${other}`);
      }
    });
  });

  describe('at Redis', () => {
    const connections = new Map<string, Redis>();
    let operator: Redis;
    before(async () => {
      const { redisUrl } = fixture.infrastructure;
      operator = await connected(redisUrl, redisOperator.user, redisOperator.password);
      for (const user of servicesAt(fixture, 'REDIS_URL')) {
        const [name, password] = [
          environmentVariable(fixture, user, 'REDIS_USER'),
          environmentVariable(fixture, user, 'REDIS_PASSWORD'),
        ];
        connections.set(user, await connected(redisUrl, name, password));
      }
    });
    after(() => {
      for (const one of [operator, ...connections.values()]) one.disconnect();
    });
    const redisOf = (user: string): Redis => connections.get(user) ?? assert.fail(`${user} is not connected`);

    it('accept no user with another password, or without a login', async () => {
      const { redisUrl } = fixture.infrastructure;
      const logins = redisUserNames.flatMap((username) =>
        redisUserNames
          .filter((other) => other !== username)
          .map((other) => ({ username, password: fixture.secrets.redis[other] })),
      );
      for (const login of [...logins, {}, { username: 'default', password: '' }]) {
        const redis = new PlainRedis(redisUrl, { ...login, lazyConnect: true, enableReadyCheck: false });
        redis.on('error', () => redis.disconnect());
        await assert.rejects(redis.ping());
        redis.disconnect();
      }
    });

    for (const user of redisUserNames) {
      const { commands, channels, work } = expectedRedisAccess[user];

      it(`let ${user} do its work`, async () => {
        await work(redisOf(user));
      });

      it(`keep ${user} from every command that it does not need`, async () => {
        // These start and end a connection, and need no permission.
        const open = ['auth', 'hello', 'quit', 'reset'];
        const others = (await everyCommand(operator)).filter(
          ({ name }) => !Object.hasOwn(commands, name) && !open.includes(name),
        );
        for (const name of ['flushall', 'config|set', 'acl|setuser', 'keys', 'debug', 'get', 'shutdown']) {
          if (!Object.hasOwn(commands, name))
            assert.ok(
              others.some((one) => one.name === name),
              name,
            );
        }
        // Uses the user's own key, so that the refusal is for the command.
        const [key = ''] = Object.values(commands).flat();
        for (const one of some(others)) assert.ok(await refusal(redisOf(user), withKey(one, key)), one.name);
      });

      it(`keep ${user} from every key and channel of others`, async () => {
        const known = await everyCommand(operator);
        for (const [name, own] of Object.entries(commands)) {
          const command = known.find((one) => one.name === name) ?? assert.fail(`there is no command ${name}`);
          if (own.length === 0) continue;
          for (const key of some(everyKey.filter((one) => !own.includes(one)))) {
            assert.ok(await refusal(redisOf(user), withKey(command, key)), `${name} ${key}`);
          }
          assert.ok(await refusal(redisOf(user), withKey(command, 'x')), `${name} x`);
        }
        for (const channel of [...Object.values(redisChannels), 'x'].filter((one) => !channels.includes(one))) {
          assert.ok(await refusal(redisOf(user), ['publish', channel, 'x']), channel);
          assert.ok(await refusal(redisOf(user), ['subscribe', channel]), channel);
        }
      });
    }

    it('limit a script to the permissions of its caller', async () => {
      const script = (text: string): string[] => ['eval', text, '0'];
      for (const text of ["return redis.call('ZCARD', 'almanac:preview:queue')", "return redis.call('FLUSHALL')"]) {
        assert.ok(await refusal(redisOf('gateway'), script(text)), text);
      }
      assert.ok(await refusal(redisOf('timeseries'), script("return redis.call('DEL', 'almanac:limits:gateways')")));
    });
  });

  describe('at ClickHouse', () => {
    const loginOf = (user: string) => {
      const passwords: Readonly<Record<string, string>> = fixture.secrets.clickhouse;
      return { url: fixture.infrastructure.clickhouseUrl, user, password: passwords[user] ?? assert.fail(user) };
    };

    for (const [user, { reads, writes }] of Object.entries(expectedClickHouseAccess)) {
      it(`let ${user} in with its own password, and read and write its tables and no other`, async () => {
        const own = loginOf(user);
        assert.equal(await canLogIn(own), true);
        for (const other of ['admin', ...Object.keys(expectedClickHouseAccess)].filter((name) => name !== user)) {
          assert.equal(await canLogIn({ ...own, password: loginOf(other).password }), false);
        }
        const tables = await everyTable(loginOf('admin'));
        for (const table of [...reads, ...writes]) assert.ok(tables.includes(table), table);
        for (const table of some(tables)) {
          const [read, written] = [[...reads, ...writes].includes(table), writes.includes(table)];
          assert.equal(await statement(own, `SELECT count() FROM ${table}`), read ? 'done' : 'refused', table);
          const insert = `INSERT INTO ${table} FORMAT TabSeparated\n`;
          assert.equal(await statement(own, insert), written ? 'done' : 'refused', `into ${table}`);
          for (const sql of onTable(table)) assert.equal(await statement(own, sql), 'refused', sql);
        }
        for (const sql of onServer) assert.equal(await statement(own, sql), 'refused', sql);
        const isStaging = user === 'timeseries';
        for (const sql of onStaging)
          if (isStaging) assert.equal(await statement(own, sql), 'done', sql);
          // A read of a table that does not exist is another error.
          else if (!sql.startsWith('SELECT')) assert.equal(await statement(own, sql), 'refused', sql);
      });
    }
  });

  describe('at the object store', () => {
    let own: S3Client;
    let slabs: S3Client;
    let root: S3Client;
    const another = 'another';
    before(async () => {
      const client = (accessKeyId: string, secretAccessKey: string): S3Client =>
        new S3Client({
          endpoint: fixture.infrastructure.s3Url,
          region: 'us-east-1',
          credentials: { accessKeyId, secretAccessKey },
          forcePathStyle: true,
          requestChecksumCalculation: 'WHEN_REQUIRED',
        });
      own = client(
        environmentVariable(fixture, 'export', 'S3_ACCESS_KEY_ID'),
        environmentVariable(fixture, 'export', 'S3_SECRET_ACCESS_KEY'),
      );
      slabs = client(
        environmentVariable(fixture, 'timeseries', 'S3_ACCESS_KEY_ID'),
        environmentVariable(fixture, 'timeseries', 'S3_SECRET_ACCESS_KEY'),
      );
      root = client(fixture.secrets.s3Root.accessKeyId, fixture.secrets.s3Root.secretAccessKey);
    });
    after(() => {
      for (const client of [own, slabs, root]) client.destroy();
    });

    it('let export work in its bucket, and in no other', async () => {
      const bucket = environmentVariable(fixture, 'export', 'S3_BUCKET');
      for (const attempt of some(inBucket(bucket))) assert.equal(await isRefused(attempt, own), false, attempt[0]);
      const create = nowhere(another, '').find(([name]) => name === 'CreateBucket') ?? assert.fail();
      assert.equal(await isRefused(create, root), false);
      for (const attempt of some(inBucket(another))) {
        assert.equal(await isRefused(attempt, own), true, attempt[0]);
      }
      assert.deepEqual(await seenBuckets(own), []);
      assert.deepEqual((await seenBuckets(root)).toSorted(), [bucket, another].toSorted());
    });

    it('let timeseries store and read slabs, and nothing else', async () => {
      const bucket = environmentVariable(fixture, 'timeseries', 'S3_BUCKET');
      for (const attempt of some(inBucket(bucket))) assert.equal(await isRefused(attempt, slabs), true, attempt[0]);
      for (const attempt of some(ofObject(bucket, `${slabsPrefix}there`))) {
        assert.equal(await isRefused(attempt, slabs), attempt[0] === 'DeleteObject', attempt[0]);
      }
      for (const attempt of some(nowhere(bucket, ''))) assert.equal(await isRefused(attempt, slabs), true, attempt[0]);
      assert.deepEqual(await seenBuckets(slabs), []);
    });

    it('let export change no permission, not even in its own bucket', async () => {
      for (const bucket of [environmentVariable(fixture, 'export', 'S3_BUCKET'), another]) {
        const all = environmentVariable(fixture, 'export', 'S3_ACCESS_KEY_ID');
        const policy = JSON.stringify(bucketPolicy(bucket, { all }));
        for (const attempt of some(nowhere(bucket, policy))) {
          assert.equal(await isRefused(attempt, own), true, `${attempt[0]} ${bucket}`);
        }
      }
    });
  });
});
