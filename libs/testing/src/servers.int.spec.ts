import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { describe, it } from 'node:test';
import { killableNats, testClickHouse, testNats, testRedis, testS3, type TestServer } from './servers.js';

const starters: [string, () => Promise<TestServer>][] = [
  ['nats', testNats],
  ['redis', testRedis],
  ['s3', testS3],
  ['clickhouse', testClickHouse],
];

for (const [name, start] of starters) {
  describe(`a ${name} test server`, () => {
    it('has its own port and folder, and removes the folder at its end', async () => {
      const [one, other] = await Promise.all([start(), start()]);
      assert.notEqual(one.port, other.port);
      assert.ok(existsSync(one.dir));
      await Promise.all([one.stop(), other.stop()]);
      assert.ok(!existsSync(one.dir));
      assert.throws(() => process.kill(one.pid, 0), { code: 'ESRCH' });
    });
  });
}

describe('a restarted test server', () => {
  const isNewProcess = async (server: TestServer, restart: () => Promise<void>): Promise<void> => {
    const { pid: earlier } = server;
    try {
      await restart();
      assert.notEqual(server.pid, earlier);
      process.kill(server.pid, 0);
    } finally {
      await server.stop();
    }
  };

  it('has the id of its new process', async () => {
    const [nats, redis, killable] = [await testNats(), await testRedis(), await killableNats()];
    await isNewProcess(nats, () => nats.restart());
    await isNewProcess(redis, () => redis.restart());
    await isNewProcess(killable, async () => {
      await killable.kill();
      await killable.startAgain();
    });
  });
});
