import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DomainError, errorRecords, errorReply, internalError, notFound, operatorSentence } from './errors.js';

describe('an expected error', () => {
  it('is presented without its cause', () => {
    const error = new DomainError('conflict', 'Later.', { cause: new Error('secret'), more: { a: 1 } });
    assert.deepEqual(errorReply.parse(error.reply), { code: 'conflict', detail: 'Later.', more: { a: 1 } });
    assert.doesNotMatch(JSON.stringify(error.reply), /secret/);
    assert.deepEqual(new DomainError('conflict', 'Later.').reply, { code: 'conflict', detail: 'Later.' });
  });
});

describe('the cause of an error', () => {
  it('appears in the message for an operator only', () => {
    const error = new DomainError('unavailable', 'Try again.', {
      cause: new Error('The keys service is not running.'),
    });
    assert.equal(error.reply.detail, 'Try again.');
    assert.equal(operatorSentence(error), 'Try again. (The keys service is not running.)');
    assert.equal(operatorSentence(new DomainError('conflict', 'Later.')), 'Later.');
    assert.doesNotMatch(JSON.stringify(internalError(new Error('secret')).reply), /secret/);
  });
});

describe('a not-found error', () => {
  it('names the requested id, cut when it is long', () => {
    const reply = (code: 'market_not_found' | 'series_not_found' | 'event_not_found', id: string) =>
      notFound(code, id).reply;
    assert.deepEqual(reply('market_not_found', 'NOPE'), {
      code: 'market_not_found',
      detail: 'The archive has no market NOPE. Search with GET /api/v1/search.',
    });
    assert.match(reply('series_not_found', 'X').detail, / no series X\./);
    assert.match(reply('event_not_found', 'y'.repeat(80)).detail, / no event y{80}\./);
    assert.match(reply('event_not_found', 'y'.repeat(81)).detail, / no event y{80}…\./);
    assert.ok(reply('market_not_found', `${'y'.repeat(79)}${'💥'.repeat(9)}`).detail.isWellFormed());
  });

  it('has the wording of the example of its record', () => {
    const ids = {
      series_not_found: 'KXBTC',
      event_not_found: 'KXBTC15M-26FEB312330',
      market_not_found: 'KXBTC15M-26FEB312330-30',
      export_not_found: '1',
      dataset_not_found: '1',
      key_not_found: '1',
      webhook_not_found: '1',
    } as const;
    for (const [code, id] of Object.entries(ids) as [keyof typeof ids, string][])
      assert.equal(notFound(code, id).detail, errorRecords[code].example.detail);
  });

  it('hides the id where it may belong to another account', () => {
    const named = (code: 'export_not_found' | 'key_not_found', id: string) => notFound(code, id).detail;
    assert.equal(
      named('export_not_found', 'a'),
      'This account has no export with this id. GET /api/v1/exports lists its exports.',
    );
    assert.equal(named('key_not_found', 'a'), 'This account has no key with this id. GET /api/v1/keys lists its keys.');
    for (const code of ['export_not_found', 'key_not_found'] as const) {
      assert.equal(named(code, 'one'), named(code, 'other'));
    }
  });
});
