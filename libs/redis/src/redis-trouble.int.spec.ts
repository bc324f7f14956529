import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, afterEach, before, describe, it } from 'node:test';
import { createHealth, createLogger, readiness } from '@almanac/runtime';
import { eventually, killableRedis } from '@almanac/testing';
import { connectRedis, type Redis } from './index.js';

const password = randomUUID();
const usersWith = (secret: string) => [{ user: 'keys', password: secret, rules: ['~*', '&*', '+@all'] }];

describe('a process whose Redis has a fault', { timeout: 240_000 }, () => {
  let server: Awaited<ReturnType<typeof killableRedis>>;
  let redis: Redis | undefined;
  const lines: string[] = [];
  const health = createHealth();
  health.serving = true;

  before(async () => {
    server = await killableRedis(usersWith(password));
  });
  afterEach(() => {
    redis?.disconnect();
    assert.ok(!lines.join('').includes(password));
    lines.splice(0);
  });
  after(() => server.stop());

  const connect = (login: { REDIS_USER?: string; REDIS_PASSWORD?: string }): void => {
    const log = createLogger('keys', 'info', { write: (line) => void lines.push(line) });
    redis = connectRedis({
      config: { REDIS_URL: server.url, ...login },
      runtime: { health, log },
      without: 'so be it',
    });
  };
  const login = { REDIS_USER: 'keys', REDIS_PASSWORD: password };
  const errors = async (): Promise<string | undefined> => {
    const { ready, degraded } = await readiness(health);
    assert.ok(ready);
    return degraded?.['redis'];
  };
  const is = (state: string | undefined) => eventually(async () => assert.equal(await errors(), state));

  for (const [what, wrong] of [
    ['another password', { REDIS_USER: 'keys', REDIS_PASSWORD: 'another' }],
    ['no login', {}],
  ] as const) {
    it(`reports a refused login (${what}) once, and stays ready`, async () => {
      connect(wrong);
      await is('Redis refuses the login; so be it');
      assert.equal(lines.filter((line) => line.includes('Redis refuses the login')).length, 1);
    });
  }

  it('reports a password that changed while it ran, and continues when it is changed back', async () => {
    connect(login);
    await is(undefined);
    await server.kill();
    await is('Redis is unavailable; so be it');
    await server.startAgain(usersWith('another'));
    await is('Redis refuses the login; so be it');
    await server.kill();
    await server.startAgain(usersWith(password));
    await is(undefined);
    await eventually(() => assert.ok(lines.some((line) => line.includes('Redis is available again'))));
  });

  it('connects by itself when Redis was unavailable at the start', async () => {
    await server.kill();
    connect(login);
    await is('Redis is unavailable; so be it');
    await server.startAgain();
    await is(undefined);
    assert.equal(await redis?.ping(), 'PONG');
  });
});
