import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { idOfAccountKey } from './idempotency.js';

const dayUs = 24 * 3_600e6;

describe('the Idempotency-Key of a purchase', () => {
  const made = new Map<string, { readonly started_us: number }>();
  const find = (nowUs: number, { account = 'acc', about = 'checkout' } = {}) =>
    idOfAccountKey({ account, about, key: 'k', nowUs }, (id) => Promise.resolve(made.get(id)));

  it('names what was made under it for 24 hours, and is free again afterwards', async () => {
    const { id } = await find(0);
    made.set(id, { started_us: 0 });
    assert.deepEqual(await find(dayUs - 1), { id, existing: { started_us: 0 } });
    const next = await find(dayUs);
    assert.ok(next.existing === undefined && next.id !== id);
    made.set(next.id, { started_us: dayUs });
    assert.equal((await find(dayUs + 1)).id, next.id);
  });
  it('is another one for another account and another endpoint', async () => {
    const ids = [await find(0), await find(0, { account: 'other' }), await find(0, { about: 'upgrade' })];
    assert.equal(new Set(ids.map(({ id }) => id)).size, 3);
  });
});
