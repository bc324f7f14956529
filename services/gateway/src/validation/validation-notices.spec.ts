import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { z } from 'zod';
import { faultsOf, sent } from './testing/validation.samples.js';
import { validator } from './validate.js';
import { millisecondNotices, validationNoticesOf } from './validation-notices.js';

const lenient = { strict: false, accept: undefined };
const query = z.object({ from_ts: z.number().nullish() });
const body = z.object({ event: z.string() });

describe('a notice beside a 422', () => {
  it('says which header a JSON body needs', () => {
    const faults = faultsOf({ body }, sent('{"event":"E"}', 'text/plain'));
    for (const contentType of ['application/x-www-form-urlencoded', 'text/plain', undefined]) {
      const [notice, ...others] = validationNoticesOf(faults, contentType);
      assert.deepEqual([notice?.code, notice?.nearest, others], ['content_type', 'application/json', []]);
      assert.match(notice?.detail ?? '', /Send Content-Type: application\/json\.$/);
    }
    assert.deepEqual(validationNoticesOf(faultsOf({ body }, sent('[]')), 'application/json'), []);
  });

  it('says the Unix seconds of an ISO 8601 time', () => {
    for (const [text, seconds] of [
      ['2026-02-24T23:30:00Z', '1771975800'],
      ['2026-02-24', '1771891200'],
      ['2026-02-24T23:30', '1771975800'],
      ['2026-02-24 23:30:00.25', '1771975800.25'],
      ['2026-02-25T00:30:00+01:00', '1771975800'],
      ['2026-02-24T18:30:00-0500', '1771975800'],
    ] as const) {
      // As pasted: the plus sign is not encoded.
      const faults = faultsOf({ query }, { query: `from_ts=${text}` });
      const [notice, ...others] = validationNoticesOf(faults, undefined);
      assert.deepEqual([notice?.code, notice?.nearest, others], ['time_format', seconds, []], text);
      assert.match(notice?.detail ?? '', new RegExp(`from_ts takes Unix seconds\\..* is ${seconds}\\.$`));
    }
    for (const text of ['x', 'yesterday', '2026-13-01', '2026-02-24T99:00Z']) {
      assert.deepEqual(validationNoticesOf(faultsOf({ query }, { query: `from_ts=${text}` }), undefined), [], text);
    }
  });
});

describe('a notice beside an answer', () => {
  it('says that a filter on the close looks like milliseconds', () => {
    const [notice, ...others] = millisecondNotices({ from_ts: 1_771_975_800_250, to_ts: 1_771_975_800, limit: 1e12 });
    assert.deepEqual(
      [notice?.code, notice?.loc, notice?.nearest, others],
      ['time_format', ['query', 'from_ts'], '1771975800.25', []],
    );
    assert.match(notice?.detail ?? '', /looks like milliseconds\. Did you mean 1771975800\.25\?$/);
    const { notices } = validator({ query })({ path: {}, query: 'from_ts=1771975800250', body: undefined }, lenient);
    assert.deepEqual(notices, [notice]);
    assert.deepEqual(validator({ query })({ path: {}, query: 'from_ts=-5', body: undefined }, lenient).notices, []);
  });
});
