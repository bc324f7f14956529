import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { errorAdvice } from '../generated/error-advice.js';
import { inWordsOf, ownWording } from './wording.js';

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
});
