import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join, relative } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { natsAccounts } from '@almanac/bus';
import { freePort, startProcess } from '@almanac/local-servers';
import { redisRulesOf } from '@almanac/redis';
import { testNats, testRedis } from '@almanac/testing';
import { readText, repository } from './repository.js';

const run = promisify(execFile);

/** The checkout as the build of an image sees it. */
const copyCheckout = async (target: string): Promise<void> => {
  const lines = (await readText('.dockerignore')).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const anywhere = lines.filter((line) => line.startsWith('**/')).map((line) => line.slice(3));
  const ignored = (path: string): boolean =>
    lines.includes(relative(repository, path)) ||
    anywhere.some((name) => (name.startsWith('*') ? path.endsWith(name.slice(1)) : basename(path) === name));
  await cp(repository, target, { recursive: true, filter: (path) => !ignored(path) });
};

// Of the full run: each builds a checkout of its own, which takes a minute. The containers' tests build all images.
describe('deploy/build.sh', () => {
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-build-'));
  });
  after(() => rm(dir, { recursive: true, force: true }));

  it('creates a folder with everything a service needs to run', { timeout: 240_000 }, async () => {
    const [checkout, app] = [join(dir, 'checkout'), join(dir, 'app')];
    await copyCheckout(checkout);
    await run(join(checkout, 'deploy', 'build.sh'), ['keys', app], { timeout: 180_000, maxBuffer: 10_000_000 });
    await rm(checkout, { recursive: true });

    const files = await readdir(app, { recursive: true });
    assert.deepEqual(
      files.filter((path) => /node_modules[\\/](testcontainers|typescript|node|oxlint|prettier|node-gyp)$/.test(path)),
      [],
    );
    assert.deepEqual(
      files.filter((path) => /^(dist|node_modules[\\/]@almanac)[\\/].*\.spec\.js$/.test(path)),
      [],
    );

    const [nats, redis] = await Promise.all([
      testNats({ accounts: natsAccounts(() => 'password') }),
      testRedis({ users: [{ user: 'keys', password: 'password', rules: redisRulesOf('keys') }] }),
    ]);
    try {
      const port = await freePort();
      const service = await startProcess({
        name: 'The service',
        command: process.execPath,
        args: ['--enable-source-maps', 'dist/bundled/main.js'],
        cwd: app,
        env: {
          NATS_URL: nats.url,
          NATS_USER: 'keys',
          NATS_PASSWORD: 'password',
          REDIS_URL: redis.address,
          REDIS_USER: 'keys',
          REDIS_PASSWORD: 'password',
          HEALTH_PORT: String(port),
        },
        logFile: join(dir, 'keys.log'),
        isReady: async () =>
          (await fetch(`http://127.0.0.1:${port}/readyz`, { signal: AbortSignal.timeout(1_000) })).ok,
      });
      await service.stop();
    } finally {
      await Promise.all([nats.stop(), redis.stop()]);
    }
  });

  it('gives the gateway the built console, without what built it', { timeout: 240_000 }, async () => {
    const [checkout, app] = [join(dir, 'gateway-checkout'), join(dir, 'gateway')];
    await copyCheckout(checkout);
    await run(join(checkout, 'deploy', 'build.sh'), ['gateway', app], { timeout: 180_000, maxBuffer: 10_000_000 });
    await rm(checkout, { recursive: true });
    const site = join(app, 'node_modules', '@almanac', 'console', 'dist', 'site');
    const served = await readdir(site, { recursive: true });
    assert.ok(served.includes('index.html') && served.includes('licenses.md'), served.join(' '));
    assert.ok(served.some((name) => /^assets\/index-.*\.js$/.test(name)));
    assert.deepEqual(
      served.filter((name) => name.endsWith('.map')),
      [],
    );
    const packages = await readdir(join(app, 'node_modules', '.pnpm'));
    assert.deepEqual(
      packages.filter((name) => /^(vite|rolldown|react|uplot)@/.test(name)),
      [],
    );
  });
});
