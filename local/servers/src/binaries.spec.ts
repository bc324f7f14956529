import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { findBinary } from './binaries.js';
import { LocalServerError } from './errors.js';

describe('findBinary', () => {
  let dir = '';
  before(async () => {
    dir = await mkdtemp(join(tmpdir(), 'almanac-binaries-'));
    for (const folder of ['named', 'path', 'home/bin', 'cache/almanac/bin', 'user/.cache/almanac/bin']) {
      await mkdir(join(dir, folder), { recursive: true });
      await writeFile(join(dir, folder, 'a-server'), '#!/bin/sh\n', { mode: 0o755 });
    }
  });
  after(async () => rm(dir, { recursive: true, force: true }));

  it('finds a program in ALMANAC_BIN, then on the PATH, then in the cache, then in the home', async () => {
    const home = { ALMANAC_HOME: join(dir, 'home') };
    const path = { ...home, PATH: `/nowhere:${join(dir, 'path')}` };
    assert.equal(
      await findBinary('a-server', { ...path, ALMANAC_BIN: join(dir, 'named') }),
      join(dir, 'named/a-server'),
    );
    assert.equal(await findBinary('a-server', path), join(dir, 'path/a-server'));
    const cache = { ...home, XDG_CACHE_HOME: join(dir, 'cache') };
    assert.equal(await findBinary('a-server', cache), join(dir, 'cache/almanac/bin/a-server'));
    const ofUser = { ...home, HOME: join(dir, 'user'), XDG_CACHE_HOME: 'relative' };
    assert.equal(await findBinary('a-server', ofUser), join(dir, 'user/.cache/almanac/bin/a-server'));
    assert.equal(await findBinary('a-server', home), join(dir, 'home/bin/a-server'));
  });

  it('throws an error with the remedy when the program is nowhere', async () => {
    await assert.rejects(findBinary('b-server', { PATH: dir }), (error) => {
      assert.ok(error instanceof LocalServerError);
      assert.match(error.message, /^b-server was not found in PATH .* `npm start` or `npm test`/);
      return true;
    });
  });
});
