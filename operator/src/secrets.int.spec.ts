import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { userNames } from '@almanac/contracts';
import { secretFingerprint } from '@almanac/runtime';
import { giveUpWebhookSecrets, loadSecrets, webhookFingerprints } from './secrets.js';

describe('the secrets of a local system', () => {
  let home = '';
  const file = () => join(home, 'secrets.json');
  before(async () => {
    home = await mkdtemp(join(tmpdir(), 'almanac-secrets-'));
  });
  after(() => rm(home, { recursive: true, force: true }));

  it('are created once, one for each user, readable by the owner only', async () => {
    const made = await loadSecrets(home);
    assert.deepEqual(Object.keys(made.nats).toSorted(), [...userNames].toSorted());
    const all = [
      made.nats,
      made.clickhouse,
      made.redis,
      made.s3,
      made.s3Slabs,
      made.s3Root,
      { session: made.session },
    ].flatMap((one) => Object.values(one));
    assert.equal(new Set(all).size, all.length, 'no two are equal');
    assert.equal((await stat(file())).mode & 0o777, 0o600);
    assert.deepEqual(await readdir(home), ['secrets.json'], 'nothing half written stays');
    assert.deepEqual(await loadSecrets(home), made);
  });

  it('are created again when the file is damaged or of an older version', async () => {
    const first = await loadSecrets(home);
    const text = await readFile(file(), 'utf8');
    const older = JSON.stringify({ ...first, redis: undefined });
    for (const damaged of ['', '{', '[]', 'null', text.slice(0, -20), older]) {
      await writeFile(file(), damaged);
      const made = await loadSecrets(home);
      assert.notEqual(made.nats.gateway, first.nats.gateway);
      // Receivers of webhooks know secrets that are derived from this one.
      assert.equal(made.webhook === first.webhook, damaged === older);
      assert.deepEqual(await loadSecrets(home), made);
      assert.equal((await stat(file())).mode & 0o777, 0o600);
    }
  });

  it('of webhooks are named by fingerprints, and those that are given up stay named', async () => {
    const { webhook } = await loadSecrets(home);
    const earlier = 'an earlier secret of webhooks, of 32 characters';
    await writeFile(file(), JSON.stringify({ webhook, webhookEarlier: [earlier] }));
    assert.deepEqual(await webhookFingerprints(home), [secretFingerprint(webhook), secretFingerprint(earlier)]);
    await giveUpWebhookSecrets(home, ['0123456789abcdef']);
    await giveUpWebhookSecrets(home, ['0123456789abcdef']);
    const { nats, ...stored } = await loadSecrets(home);
    assert.equal(stored.webhook, webhook);
    assert.deepEqual([stored.webhookEarlier, stored.webhookLost], [[earlier], ['0123456789abcdef']]);
    assert.ok(nats.webhooks.length >= 16);
    assert.deepEqual(await webhookFingerprints(join(home, 'new')), []);
  });
});
