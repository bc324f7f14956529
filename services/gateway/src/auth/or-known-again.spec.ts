import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { orKnownAgain } from './or-known-again.js';

describe('a look-up of a key', () => {
  it('is answered by what is known again before it ends, also if it fails later', async () => {
    const lookUp = Promise.withResolvers<string>();
    let known: string | undefined;
    const answer = orKnownAgain(lookUp.promise, () => known);
    known = 'cached';
    assert.equal(await answer, 'cached');
    lookUp.reject(new Error('unavailable'));
  });

  it('otherwise ends with its own result or failure', async () => {
    const unknown = (): undefined => undefined;
    assert.equal(await orKnownAgain(Promise.resolve('looked up'), unknown), 'looked up');
    await assert.rejects(orKnownAgain(Promise.reject(new Error('refused')), unknown), /refused/);
  });
});
