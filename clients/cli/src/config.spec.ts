import assert from 'node:assert/strict';
import { chmod, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { describe, it } from 'node:test';
import { configPath, isReadableByOthers, loginOf, readLogin, removeLogin, writeLogin } from './config.js';
import { SignedOutError } from './errors.js';

const stored = { base_url: 'https://a.example/api/v1', api_key: 'ak_live_stored' };

const inFolder = async (work: (path: string) => Promise<void>): Promise<void> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-config-'));
  try {
    await work(configPath({ env: { XDG_CONFIG_HOME: join(folder, 'config') } }));
  } finally {
    await rm(folder, { recursive: true });
  }
};

describe('the stored login', () => {
  it('can be read by its owner only, and replaces the one before', () =>
    inFolder(async (path) => {
      assert.equal(await readLogin(path), undefined);
      await writeLogin(path, { ...stored, api_key: 'ak_live_old' });
      await chmod(path, 0o644);
      assert.equal(await isReadableByOthers(path), true);
      await writeLogin(path, stored);
      assert.deepEqual(await readLogin(path), stored);
      assert.equal((await stat(path)).mode & 0o777, 0o600);
      assert.equal((await stat(dirname(path))).mode & 0o777, 0o700);
      assert.equal(await isReadableByOthers(path), false);
      assert.deepEqual(await readdir(dirname(path)), ['config.json']);
      assert.deepEqual([await removeLogin(path), await removeLogin(path)], [true, false]);
    }));

  it('is refused with a remedy when it is damaged', () =>
    inFolder(async (path) => {
      await writeLogin(path, stored);
      await writeFile(path, (await readFile(path, 'utf8')).slice(0, 20));
      await assert.rejects(readLogin(path), /is damaged.*almanac-data login/);
    }));

  it('is in the home folder without XDG_CONFIG_HOME', () => {
    assert.equal(configPath({ env: { HOME: '/home/x' } }), '/home/x/.config/almanac-data/config.json');
    assert.equal(configPath({ env: { HOME: '/home/x', XDG_CONFIG_HOME: '/c' } }), '/c/almanac-data/config.json');
  });
});

describe('the login of a command', () => {
  it('is of the option, then of the variables, then the stored one', () => {
    const variables = { ALMANAC_BASE_URL: 'https://b.example', ALMANAC_API_KEY: 'ak_live_b' };
    assert.deepEqual(loginOf({ env: {} }, undefined, stored), stored);
    assert.deepEqual(loginOf({ env: variables }, undefined, stored), {
      base_url: 'https://b.example',
      api_key: 'ak_live_b',
    });
    assert.equal(loginOf({ env: variables }, 'https://c.example', stored).base_url, 'https://c.example');
    assert.equal(loginOf({ env: { ALMANAC_API_KEY: 'ak_live_b' } }, undefined, stored).base_url, stored.base_url);
  });

  it('sends a stored key to its own server only', () => {
    assert.equal(loginOf({ env: {} }, 'https://a.example/', stored).api_key, stored.api_key);
    assert.throws(
      () => loginOf({ env: {} }, 'https://evil.example', stored),
      /The stored key is for https:\/\/a\.example/,
    );
    assert.throws(() => loginOf({ env: {} }, undefined, undefined), SignedOutError);
    assert.throws(
      () => loginOf({ env: { ALMANAC_API_KEY: '' } }, 'https://a.example', undefined),
      /You are signed out/,
    );
  });
});
