import { describe, it } from 'node:test';
import { datasetState, exportState, fileState } from '@almanac/contracts';
import { assertCarries } from '@almanac/event-store/testing';
import { datasetDecider } from './datasets/dataset.decider.js';
import { exportDecider } from './exports/export.decider.js';
import { fileDecider } from './files/file.decider.js';
import { eventQuery } from './testing/event-query.js';

const file = { storage_key: 's', bytes: 1, row_count: 2, markets: 1, sha256: 'h' };
const pending = exportState.parse({
  status: 'pending',
  id: 'i',
  account: 'a',
  question: eventQuery,
  grant: 'plan',
  file_key: 'k',
  filename: 'f',
  requested_us: 1,
  group: {
    id: 'i',
    part: 0,
    from: '2026-01-01',
    to: '2026-01-02',
    others: [{ day: '2026-01-02', grant: 'plan', file_key: 'l', filename: 'g' }],
  },
});
const ready = exportState.parse({ ...pending, status: 'ready', file, ready_us: 2 });

describe('an export of a newer release', () => {
  it('keeps its fields in every event', () => {
    const decider = exportDecider('a', 'i');
    const becomesReady = { type: 'ExportReady', data: { ...file, ready_us: 3 } } as const;
    assertCarries(decider, { state: pending, event: becomesReady });
    assertCarries(decider, { state: pending, event: { type: 'ExportFailed', data: { error: 'e' } } });
    assertCarries(decider, { state: pending, event: { type: 'ExportCancelled', data: {} } });
    assertCarries(decider, { state: ready, event: becomesReady, removed: ['state.file'] });
  });
});

describe('a dataset of a newer release', () => {
  it('keeps its fields', () => {
    const dataset = { sha256: 'h', bytes: 1, file_key: 'k', requested_us: 1, made_us: 2, manifest: '' };
    const state = datasetState.parse({ id: 'ds-1', ...dataset });
    assertCarries(datasetDecider('ds-1'), { state, event: { type: 'DatasetRecorded', data: dataset } });
  });
});

describe('a file of a newer release', () => {
  it('keeps its fields in every event', () => {
    const decider = fileDecider('k');
    const common = {
      key: 'k',
      question: eventQuery,
      waiting: [{ account: 'a', export_id: 'i' }],
      error: null,
      requested_us: 1,
    };
    const wanted = fileState.parse({ ...common, status: 'wanted', file: null });
    const done = fileState.parse({ ...common, status: 'ready', file });
    assertCarries(decider, { state: wanted, event: { type: 'FileReady', data: { ...file, manifest: '' } } });
    assertCarries(decider, { state: wanted, event: { type: 'FileFailed', data: { error: 'e' } } });
    assertCarries(decider, {
      state: done,
      event: { type: 'FileVanished', data: { storage_key: 's' } },
      removed: ['state.file'],
    });
    // Requested again after a failure: a new question, without the exports that waited before.
    assertCarries(decider, {
      state: wanted,
      event: {
        type: 'FileWanted',
        data: { question: eventQuery, requested_us: 2, waiter: { account: 'b', export_id: 'j' } },
      },
      removed: ['state.question', 'state.waiting.0'],
    });
  });
});
