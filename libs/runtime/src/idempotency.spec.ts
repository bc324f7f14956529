import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { resolveIdempotencyKey } from './idempotency.js';

describe('the id of an Idempotency-Key', () => {
  const ids = { first: 'a', after: (id: string) => `${id}'` };
  const idAmong = (made: Readonly<Record<string, boolean>>) =>
    resolveIdempotencyKey(
      ids,
      (id) => Promise.resolve(id in made ? { id, counts: made[id] === true } : undefined),
      ({ counts }) => counts,
    );

  it('is the first one until it is used, and stays with its entity while that is valid', async () => {
    assert.deepEqual(await idAmong({}), { id: 'a', existing: undefined });
    assert.deepEqual(await idAmong({ a: true }), { id: 'a', existing: { id: 'a', counts: true } });
  });
  it('is the next one after each that is no longer valid', async () => {
    assert.equal((await idAmong({ a: false })).id, "a'");
    assert.equal((await idAmong({ a: false, "a'": false, "a''": true })).existing?.id, "a''");
  });
});
