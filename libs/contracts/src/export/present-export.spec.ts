import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { exportResponse } from './exports.js';
import { presentExport } from './present-export.js';

const pending = {
  status: 'pending' as const,
  id: 'i',
  account: 'a',
  query: {
    event: 'E',
    ticker: null,
    series: 'S',
    day: null,
    streams: ['snapshots' as const],
    format: 'csv' as const,
    numbers: 'decimal' as const,
  },
  grant: 'plan' as const,
  file_key: 'k',
  filename: 'f.csv',
  requested_us: 1_772_064_000_250_000,
};
const file = { storage_key: 's', bytes: 9, row_count: 7, markets: 2, sha256: 'h' };
const ready = { ...pending, status: 'ready' as const, file, ready_us: 1_772_064_001_750_000 };
const manifest = { query: pending.query, schema_version: 1, markets: [], row_count: 7, gaps: [], gaps_n: 0 };

describe('presentExport', () => {
  it('shows the progress', () => {
    const farOf = (...shown: Parameters<typeof presentExport>) => {
      const { rows_done, progress } = exportResponse.strict().parse(presentExport(...shown));
      return [rows_done, progress];
    };
    assert.deepEqual(farOf(pending), [0, 0]);
    assert.deepEqual(farOf(pending, { progress: { rowsDone: 3, rows: 4 } }), [3, 0.75]);
    assert.deepEqual(farOf(pending, { progress: { rowsDone: 5, rows: 4 } }), [5, 1], 'rows were added meanwhile');
    assert.deepEqual(farOf(pending, { progress: { rowsDone: 0, rows: 0 } }), [0, 0]);
    assert.deepEqual(farOf(ready, { progress: { rowsDone: 3, rows: 4 } }), [7, 1]);
    assert.deepEqual(farOf({ ...pending, status: 'failed', error: 'why' }), [null, null]);
    assert.deepEqual(farOf({ ...pending, status: 'cancelled' }), [null, null]);
  });

  it('shows times in seconds, and the data behind the file once it is ready', () => {
    const seenOf = (...shown: Parameters<typeof presentExport>) => {
      const { created_ts, ready_ts, manifest: made } = presentExport(...shown);
      return [created_ts, ready_ts, made];
    };
    assert.deepEqual(seenOf(pending, { manifest }), [1_772_064_000.25, null, null]);
    assert.deepEqual(seenOf(ready, { manifest }), [1_772_064_000.25, 1_772_064_001.75, manifest]);
    assert.deepEqual(seenOf(ready), [1_772_064_000.25, 1_772_064_001.75, null]);
  });
});
