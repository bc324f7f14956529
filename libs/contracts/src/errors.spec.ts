import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError, errorReply } from './errors.js';

describe('an expected error', () => {
  it('keeps its cause to itself and tells the rest', () => {
    const error = new DomainError('conflict', 'Later.', { cause: new Error('secret'), more: { a: 1 } });
    assert.deepEqual(errorReply.parse(error.reply), { code: 'conflict', detail: 'Later.', more: { a: 1 } });
    assert.doesNotMatch(JSON.stringify(error.reply), /secret/);
    assert.deepEqual(new DomainError('conflict', 'Later.').reply, { code: 'conflict', detail: 'Later.' });
  });
});
