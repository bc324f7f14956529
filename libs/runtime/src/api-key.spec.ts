import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { accountOfKey, formatApiKey, newAccountId, newKeyId, newSecret, parseApiKey, secretHash } from './api-key.js';

describe('an API key', () => {
  const account = newAccountId();
  const keyId = newKeyId(account);
  const secret = newSecret();
  const text = formatApiKey({ keyId, secret });

  it('is read back as it was written, and names its account', () => {
    assert.deepEqual(parseApiKey(text), { keyId, secret });
    assert.equal(accountOfKey(keyId), account);
  });
  it('is refused without a look-up when a character is changed, missing or added', () => {
    for (let at = 0; at < text.length; at += 1) {
      const changed = text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1);
      assert.equal(parseApiKey(changed), undefined, changed);
      assert.equal(parseApiKey(text.slice(0, at)), undefined);
    }
    assert.equal(parseApiKey(`${text}a`), undefined);
    assert.equal(parseApiKey(`${text}\n`), undefined);
  });
  it('is stored as a hash that does not contain the secret', () => {
    assert.match(secretHash(secret), /^[0-9a-f]{64}$/);
    assert.ok(!secretHash(secret).includes(secret));
  });
});
