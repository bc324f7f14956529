import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ApiError, ConnectionError } from '../errors.js';
import { delayOf } from './retry.js';

const facts = { code: 'unavailable', detail: '', remedy: '' };
const lost = new ConnectionError(facts, true);
const busy = (retryAfter: number | null): ApiError =>
  new ApiError({ ...facts, status: 503, request_id: 'r', retryAfter, fields: [], notices: [], body: {} });
const bounds = (error: unknown, failures: number): number[] =>
  [0, 1].map((random) => delayOf(error, failures, () => random));

describe('the pause before the next try', () => {
  it('doubles up to 10 seconds, with a jitter of half of it', () => {
    assert.deepEqual(
      [bounds(lost, 0), bounds(lost, 1), bounds(lost, 20)],
      [
        [125, 250],
        [250, 500],
        [5_000, 10_000],
      ],
    );
    assert.deepEqual(bounds(busy(null), 0), [125, 250]);
  });

  it('begins after what the server asks for', () => {
    assert.deepEqual(bounds(busy(7), 0), [7_125, 7_250]);
  });
});
