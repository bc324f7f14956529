import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { inWordsOf } from '@almanac/client';
import { consoleWording, plain } from './wording.js';

describe('the words of the console', () => {
  it('name screens instead of calls and headers', () => {
    const shown = (text: string): string => plain(inWordsOf(text, consoleWording));
    assert.equal(
      shown('Find the market with `GET /api/v1/markets` or `GET /api/v1/search`.'),
      'Find the market with the screen Markets or the search above.',
    );
    assert.equal(
      shown('Add an event with `POST /api/v1/cart/event-exports`, then check out.'),
      'Add an event with the screen Cart, then check out.',
    );
    assert.doesNotMatch(
      shown('Wait for the number of seconds in `Retry-After`, then send the request again.'),
      /Retry|request/,
    );
  });
});
