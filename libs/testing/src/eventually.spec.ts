import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from './eventually.js';

describe('eventually', () => {
  it('returns the value of the first attempt that passes', async () => {
    let tries = 0;
    const value = await eventually(() => {
      tries += 1;
      assert.ok(tries >= 3, 'too early');
      return tries;
    });
    assert.equal(value, 3);
  });

  it('rejects after its timeout with the last failure as the cause', async () => {
    const failing = eventually(() => assert.equal(1, 2, 'one is not two'), { timeoutMs: 60 });
    await assert.rejects(failing, (error) => {
      assert.ok(error instanceof Error && error.cause instanceof assert.AssertionError);
      assert.match(error.message, /^Not so after 60 ms: one is not two/);
      return true;
    });
  });

  it('does not wait for an attempt that never ends', async () => {
    const hanging = eventually(async () => new Promise(() => {}), { timeoutMs: 60 });
    await assert.rejects(hanging, /Not so after 60 ms: the first try did not end/);
  });
});
