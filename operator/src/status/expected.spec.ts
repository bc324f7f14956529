import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { missingProcesses, statusServices } from '@almanac/bus';
import { UsageError } from '../error-message.js';
import { expectedIn } from './expected.js';

describe('processes that should be there', () => {
  it('are one of each service, or as many as EXPECTED_PROCESSES says', () => {
    const expected = expectedIn({ EXPECTED_PROCESSES: 'gateway=3, keys=2' });
    assert.deepEqual(expected, { gateway: 3, keys: 2 });
    const missing = missingProcesses({ processes: [], queriedUs: 0, expected });
    assert.deepEqual(
      missing.map(({ service, wanted }) => [service, wanted]),
      statusServices.map((service) => [service, service === 'gateway' ? 3 : service === 'keys' ? 2 : 1]),
    );
    assert.deepEqual(expectedIn({}), {});
  });

  it('refuse another form, with the right one', () => {
    for (const text of ['gateway', 'gateway=x', '3'])
      assert.throws(() => expectedIn({ EXPECTED_PROCESSES: text }), UsageError);
  });
});
