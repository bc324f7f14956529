import assert from 'node:assert/strict';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { z } from 'zod';
import { repository } from './repository.js';
import { startTestCheckout, type TestCheckout } from './testing-checkout.js';

describe('the first npm start', () => {
  let test: TestCheckout;
  beforeEach(async () => {
    test = await startTestCheckout();
  });
  afterEach(() => test.stop());

  it('shows the progress of each long step, with what it takes', async () => {
    const { code, output } = await test.start({ PORT: '0' });
    assert.equal(code, 0, output);
    for (const line of [
      /^Servers: reading Debian's package lists \(\d+ s\)$/m,
      /^Servers: nats-server and redis-server unpacked from Debian's packages into \S+ \([\d.]+ s\)$/m,
      /^Packages: installing npm packages: .*GB on disk.* \(\d+ s\)$/m,
      /^Packages: installed \([\d.]+ s\)$/m,
      /^Build: \d+ of \d+ projects compiled: .* \(\d+ s\)$/m,
      /^Build: done \([\d.]+ s\)$/m,
    ]) {
      assert.match(output, line);
    }
  });

  it('fetches the programs once for all homes, into the cache of the user', async () => {
    const cache = join(test.folder, 'cache');
    const start = (home: string, env: NodeJS.ProcessEnv = {}) =>
      test.start({ PORT: '0', ALMANAC_HOME: join(test.folder, home), XDG_CACHE_HOME: cache, ...env });
    const first = await start('one');
    assert.ok(first.output.includes(`the system runs with ${join(cache, 'almanac', 'bin')}`), first.output);
    const calls = await test.calls();
    assert.deepEqual(
      calls.map((call) => call.split(' ').slice(0, 2).join(' ')),
      ['apt-get update', 'apt-get download', 'apt-get download', 'npx --yes'],
    );
    const second = await start('two');
    assert.match(second.output, /^Servers: nats-server and redis-server are available/m);
    assert.deepEqual(await test.calls(), calls);
    assert.ok(!existsSync(join(test.folder, 'two', 'bin')));
    assert.deepEqual((await readdir(join(cache, 'almanac'))).toSorted(), ['bin', 'packages']);
    await start('three', { XDG_CACHE_HOME: '' });
    assert.ok(existsSync(join(test.folder, '.cache', 'almanac', 'bin', 'redis-server')));
  });

  it('reports a taken port before it fetches anything', async () => {
    const other = createServer().listen(0, '127.0.0.1');
    await once(other, 'listening');
    const address = other.address();
    const port = typeof address === 'object' && address !== null ? address.port : 0;
    const { code, output } = await test.start({ PORT: String(port) });
    other.close();
    const sentence = `Port ${port} is already in use. Stop the program that uses it, or set PORT to another port.\n`;
    assert.deepEqual([code, output], [1, sentence]);
    assert.deepEqual(await test.calls(), ['']);
    assert.ok(!existsSync(join(test.checkout, '.almanac')));
  });

  it('reports missing tools before it fetches anything', async () => {
    await test.removeTool('dpkg');
    await test.removeTool('npx');
    const { code, output } = await test.start({ PORT: '0' });
    assert.equal(code, 1);
    assert.match(output, /^Missing in the PATH: dpkg, npx\. .*nats-server and redis-server are not in the PATH.*\n$/);
    assert.deepEqual(await test.calls(), ['']);
  });

  it('adds up what it needs on each disk before it fetches anything', async () => {
    const { diskFaults } = z
      .object({ diskFaults: z.custom<(needs: object[], spaceOf: (folder: string) => object) => string[]>() })
      .parse(await import(pathToFileURL(join(repository, 'scripts', 'preflight.mjs')).href));
    const needs = [
      { folder: '/home', megabytes: 100, what: 'data' },
      { folder: '/code', megabytes: 1_200, what: 'npm packages' },
      { folder: '/cache', megabytes: 150, what: 'nats-server' },
    ];
    const spaceOf = (folder: string) =>
      folder === '/code' ? { device: 1, freeMegabytes: 1_200 } : { device: 2, freeMegabytes: 249 };
    assert.deepEqual(diskFaults(needs, spaceOf), [
      'The disk of /home has 249 MB free, and 250 MB are needed: 100 MB for data, 150 MB for nats-server.',
    ]);
    assert.deepEqual(
      diskFaults(needs, () => ({ device: 1, freeMegabytes: 1_450 })),
      [],
    );
  });
});
