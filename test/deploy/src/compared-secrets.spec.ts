// How long a comparison takes must tell nothing of a secret. This is proven by structure, since a measurement depends on chance: what
// decides about keys, sessions and signatures compares hashes, and only in constant time.
import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { repository } from './repository.js';

const folders = [
  'services/gateway/src/auth',
  'services/gateway/src/sessions',
  'services/keys/src',
  'services/webhooks/src',
];
/** They return as soon as something differs. */
const comparison =
  /([\w.?!]+)\s*[!=]==\s*([\w.?!'"]+)|([\w.?!]+)\.(?:equals|localeCompare|startsWith|includes)\(([\w.?!]*)/g;
const secretName = /hash|secret|signature|token|password|digest|hmac|\bmac\b/i;
/** Not about the value of a secret. */
const about = /^(?:undefined|null|true|false|\d+|''|"")$|\.(?:length|version|keyId)$/;

/** What is compared, but decides nothing for a caller. */
const harmless: ReadonlySet<string> = new Set([
  // A repeated creation recognises its own new key.
  'services/keys/src/keyring/create-key.command.ts: stored.hash === key.hash',
]);

const sourcesIn = async (folder: string): Promise<string[]> => {
  const names = await readdir(join(repository, folder), { recursive: true });
  return names
    .filter((name) => name.endsWith('.ts') && !name.endsWith('.spec.ts') && !name.startsWith('testing/'))
    .map((name) => `${folder}/${name}`);
};

export const comparisonsIn = (text: string): string[] =>
  [...text.matchAll(comparison)].flatMap(([whole, left, right, subject, argument]) => {
    const sides = [left ?? subject ?? '', right ?? argument ?? ''];
    const isOfSecret = sides.some((side) => secretName.test(side)) && !sides.some((side) => about.test(side));
    return isOfSecret ? [whole] : [];
  });

describe('secrets', () => {
  it('are compared by no operator that ends at the first difference', async () => {
    const found: string[] = [];
    for (const source of (await Promise.all(folders.map(sourcesIn))).flat())
      for (const one of comparisonsIn(await readFile(join(repository, source), 'utf8')))
        found.push(`${source}: ${one}`);
    assert.deepEqual(new Set(found), harmless);
  });

  it('are compared as hashes and in constant time where keys and sessions are verified', async () => {
    const expected = {
      'services/gateway/src/auth/authenticate.ts': 'timingSafeEqual(cachedKey.hash, key.hash)',
      'services/gateway/src/auth/key-cache.ts': 'timingSafeEqual(entry.hash, hash)',
      'services/gateway/src/auth/session.ts': 'left.length === other.length && timingSafeEqual(left, other)',
      'services/keys/src/keyring/authenticate.query.ts': 'left.length === right.length && timingSafeEqual(left, right)',
    };
    for (const [file, call] of Object.entries(expected))
      assert.ok((await readFile(join(repository, file), 'utf8')).includes(call), `${file} has ${call}`);
  });

  it('would be found by this test', () => {
    const wrong = [
      'if (key.hash === given.hash) x();',
      'return signature !== expected',
      'a.secret.equals(b)',
      'x.includes(token)',
    ];
    for (const text of wrong) assert.equal(comparisonsIn(text).length, 1, text);
    for (const text of ['hash === undefined', "signature === ''", 'a.length === hash.length', 'secret.version === 1'])
      assert.deepEqual(comparisonsIn(text), [], text);
  });
});
