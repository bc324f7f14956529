import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, AlmanacError } from '@almanac/client';
import { errorTextOf } from './error-texts.js';

const answered = (code: string, detail: string): ApiError =>
  new ApiError({
    code,
    detail,
    remedy: 'Wait for the number of seconds in `Retry-After`.',
    status: 400,
    request_id: 'r',
    retryAfter: null,
    fields: [],
    notices: [],
    body: {},
  });

describe('the sentences for errors', () => {
  it('are those of the console, and never those of HTTP', () => {
    for (const code of ['rate_limited', 'unavailable', 'payment_required', 'internal', 'of_a_newer_server']) {
      const text = JSON.stringify(errorTextOf(answered(code, 'Send `detail` with `Retry-After`, one of `options`.')));
      assert.doesNotMatch(text, /detail|Retry-After|options|free_credit|`/, code);
    }
  });

  it('keep what only the server knows: which value is wrong, and what went wrong in the page', () => {
    assert.equal(
      errorTextOf(answered('invalid_input', 'url: must be an address with `https`')).facts,
      'url: must be an address with https',
    );
    const fault = new AlmanacError({ code: 'console_fault', detail: 'x is undefined', remedy: '' });
    assert.deepEqual(errorTextOf(fault).facts, 'x is undefined');
  });
});
