import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorAdvice } from '../generated/error-advice.js';
import { operations } from '../generated/operations.js';
import { fieldSentence, inWordsOf, ownWording, withoutNextStep } from './wording.js';

const own = (text: string): string => inWordsOf(text, ownWording);
/** Codes of requests that the client never sends. */
const notOfClients = ['bad_request', 'csrf_refused', 'method_not_allowed', 'not_found', 'range_not_satisfiable'];

describe('the words of a client', () => {
  it('name its calls, with and without backticks, and for the path of one object', () => {
    assert.equal(own('Search with GET /api/v1/search.'), 'Search with `search(words)`.');
    assert.equal(own('Poll `GET /api/v1/exports/{export_id}` until'), 'Poll `exports.get(export_id)` until');
    assert.equal(own('See GET /api/v1/datasets/ds-1f'), 'See `datasets.get(dataset_id)`');
    assert.equal(own('GET /api/v1/nothing'), 'GET /api/v1/nothing');
  });

  it('are in every remedy, without addresses and headers of HTTP', () => {
    for (const [code, advice] of Object.entries(errorAdvice)) {
      if (notOfClients.includes(code)) continue;
      assert.doesNotMatch(own(advice), /\/api\/v1|Retry-After|RateLimit|Authorization|Idempotency-Key/, code);
    }
  });

  it('name each call once', () => {
    const one = { calls: { listMarkets: 'search', search: 'search' }, phrases: [] };
    assert.equal(inWordsOf('Use `GET /api/v1/markets` or `GET /api/v1/search`.', one), 'Use `search`.');
  });

  it('leave out of a detail what the remedy beside it says', () => {
    const cases: [string, string][] = [
      ['The archive has no market NOPE. Search with GET /api/v1/search.', 'The archive has no market NOPE.'],
      [
        'This account has no key with this id. GET /api/v1/keys lists its keys.',
        'This account has no key with this id.',
      ],
      ['The request has no export target. Send exactly one of: event, ticker.', 'The request has no export target.'],
      [
        'Your plan does not cover it. Buy the event or upgrade your plan. `options` lists what you can buy.',
        'Your plan does not cover it.',
      ],
      ['Send exactly one of series, event and category.', 'Send exactly one of series, event and category.'],
      [
        'This export is already ready. You can cancel only a pending export.',
        'This export is already ready. You can cancel only a pending export.',
      ],
    ];
    for (const [detail, shown] of cases) assert.equal(withoutNextStep(detail), shown);
  });

  it('make a sentence of a field that is wrong, by the name that its users know', () => {
    const shell = { calls: { search: 'almanac-data search' }, fields: { from_ts: '--from' }, phrases: [] };
    const msg = 'Value error, The archive has no series NOPE. Search with GET /api/v1/search.';
    assert.equal(
      fieldSentence(['query', 'series'], msg, shell),
      'series: The archive has no series NOPE. Search with `almanac-data search`.',
    );
    assert.equal(
      fieldSentence(['query', 'from_ts'], 'Input should be a number', shell),
      '--from: Input should be a number.',
    );
    assert.equal(fieldSentence(['body', 'events', 0], 'Field required', shell), 'events.0: Field required.');
    assert.equal(fieldSentence(['body'], 'Field required', shell), 'body: Field required.');
  });

  it('have a call for each operation that answers with JSON', () => {
    assert.deepEqual(
      Object.keys(operations).filter((id) => !(id in ownWording.calls)),
      [],
    );
  });
});
