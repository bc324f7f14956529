import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { findBinary, freePort, type RunningProcess, startProcess } from '@almanac/local-servers';
import { redisUserNames } from '@almanac/redis';
import { Redis } from 'ioredis';
import { z } from 'zod';
import { repository } from './repository.js';

const run = promisify(execFile);
const program = join(repository, 'deploy', 'redis', 'start.sh');
const passwordOf = (user: string): string => `password${user}`;
const passwords = Object.fromEntries(
  redisUserNames.map((user) => [`REDIS_PASSWORD_${user.toUpperCase()}`, passwordOf(user)]),
);

/** Sends one command on a separate connection. Returns the answer or the error message. */
const answer = async (port: number, login: { username?: string; password?: string }, command: string) => {
  const redis = new Redis({ port, ...login, lazyConnect: true, enableReadyCheck: false, disableClientInfo: true });
  redis.on('error', () => redis.disconnect());
  try {
    return String(await redis.call(command));
  } catch (error) {
    return error instanceof Error ? error.message : assert.fail(String(error));
  } finally {
    redis.disconnect();
  }
};

describe('the Redis start program of compose', () => {
  let dir = '';
  let env: NodeJS.ProcessEnv = {};
  let port = 0;
  let server: RunningProcess;

  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-redis-config-'));
    const binaries = dirname(await findBinary('redis-server'));
    env = { PATH: `${binaries}${delimiter}${process.env['PATH'] ?? ''}` };
    port = await freePort();
    server = await startProcess({
      name: 'redis-server',
      command: 'sh',
      args: [program, '--port', String(port), '--bind', '127.0.0.1'],
      cwd: dir,
      env: { ...env, ...passwords },
      logFile: join(dir, 'redis.log'),
      isReady: async () => /NOAUTH/.test(await answer(port, {}, 'ping')),
    });
  });
  after(async () => {
    await server.stop();
    await rm(dir, { recursive: true, force: true });
  });

  it('accepts every user with its own password, and no one else', async () => {
    for (const username of redisUserNames) {
      assert.equal(await answer(port, { username, password: passwordOf(username) }, 'ping'), 'PONG');
      for (const password of ['', passwordOf('other'), passwordOf('default')]) {
        assert.doesNotMatch(await answer(port, { username, password }, 'ping'), /PONG/);
      }
    }
    for (const password of ['', ...redisUserNames.map(passwordOf)]) {
      assert.doesNotMatch(await answer(port, { username: 'default', password }, 'ping'), /PONG/);
      assert.doesNotMatch(await answer(port, { password }, 'ping'), /PONG/);
    }
  });

  it('shows no password in the process list, and writes none to disk', async () => {
    const arguments_ = await readFile(`/proc/${server.pid}/cmdline`, 'utf8');
    const log = await readFile(join(dir, 'redis.log'), 'utf8');
    for (const user of redisUserNames) assert.ok(!`${arguments_}${log}`.includes(passwordOf(user)));
  });

  it('does not start while a password is missing or empty, and names its variable', async () => {
    for (const variable of Object.keys(passwords)) {
      for (const given of [{ [variable]: '' }, { [variable]: undefined }]) {
        const failed: unknown = await run('sh', [program], { cwd: dir, env: { ...env, ...passwords, ...given } }).then(
          () => assert.fail('it ended with code 0'),
          (error: unknown) => error,
        );
        assert.match(z.object({ stderr: z.string() }).parse(failed).stderr, new RegExp(variable));
      }
    }
  });
});
