import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError, errorReply, noSuch } from './errors.js';

describe('an expected error', () => {
  it('keeps its cause to itself and tells the rest', () => {
    const error = new DomainError('conflict', 'Later.', { cause: new Error('secret'), more: { a: 1 } });
    assert.deepEqual(errorReply.parse(error.reply), { code: 'conflict', detail: 'Later.', more: { a: 1 } });
    assert.doesNotMatch(JSON.stringify(error.reply), /secret/);
    assert.deepEqual(new DomainError('conflict', 'Later.').reply, { code: 'conflict', detail: 'Later.' });
  });
});

describe('what is not there', () => {
  it('is named by the id that was asked for, cut when it is long', () => {
    const reply = (code: 'market_not_found' | 'series_not_found' | 'event_not_found', id: string) =>
      noSuch(code, id).reply;
    assert.deepEqual(reply('market_not_found', 'NOPE'), {
      code: 'market_not_found',
      detail: 'There is no market NOPE.',
    });
    assert.equal(reply('series_not_found', 'X').detail, 'There is no series X.');
    assert.equal(reply('event_not_found', 'y'.repeat(80)).detail, `There is no event ${'y'.repeat(80)}.`);
    assert.equal(reply('event_not_found', 'y'.repeat(81)).detail, `There is no event ${'y'.repeat(80)}….`);
    assert.ok(reply('market_not_found', `${'y'.repeat(79)}${'💥'.repeat(9)}`).detail.isWellFormed());
  });

  it('is not named where it may be another account’s', () => {
    assert.equal(noSuch('export_not_found', 'a').detail, 'There is no such export.');
    assert.equal(noSuch('key_not_found', 'a').detail, 'There is no such key.');
  });
});
