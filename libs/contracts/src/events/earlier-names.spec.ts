import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { withPresentNames } from './earlier-names.js';

const query = { event: 'E', format: 'csv' };

describe('the names of stored events', () => {
  it('are those of this release for a file that an earlier build requested', () => {
    const earlier = {
      type: 'FileWanted',
      data: { question: query, requested_us: 1 },
      state: { key: 'k', status: 'wanted', question: query, waiting: [] },
    };
    assert.deepEqual(withPresentNames('EVT_FILE', 5, earlier), {
      type: 'FileRequested',
      data: { query, requested_us: 1 },
      state: { key: 'k', status: 'requested', query, waiting: [] },
    });
  });

  it('are those of this release for an export of an earlier build', () => {
    const earlier = {
      type: 'ExportRequested',
      data: { question: query },
      state: { status: 'pending', question: query },
    };
    const present = { type: 'ExportRequested', data: { query }, state: { status: 'pending', query } };
    assert.deepEqual(withPresentNames('EVT_EXPORT', 1, earlier), present);
  });

  it('stay as they are in a present format, in other streams and without a record', () => {
    const event = { type: 'FileWanted', data: { question: 1 }, state: { status: 'wanted' } };
    assert.deepEqual(withPresentNames('EVT_FILE', 6, event), event);
    assert.deepEqual(withPresentNames('EVT_KEYS', 1, event), event);
    const odd = { type: 'constructor', data: null, state: ['wanted'] };
    assert.deepEqual(withPresentNames('EVT_FILE', 1, odd), odd);
  });
});
