import { describe, it } from 'node:test';
import { type FileState, fileState } from '@almanac/contracts';
import { assertCarries, specificationOf } from '@almanac/event-store/testing';
import { type FileEvent, fileDecider } from './file.decider.js';
import { eventQuery } from '../testing/queries.js';

const decider = fileDecider('key');
const { given } = specificationOf(decider);

const waiter = { account: 'a', export_id: 'i' };
const requestFile = { query: eventQuery, requested_us: 1, waiter };
const file = { storage_key: 's', bytes: 1, row_count: 2, markets: 1, sha256: 'h' };
const request: FileEvent = { type: 'FileRequested', data: requestFile };
const manifest = 'bQ==';
const ready: FileEvent = { type: 'FileReady', data: { ...file, manifest } };
const failed: FileEvent = { type: 'FileFailed', data: { error: 'why' } };

const wanted: FileState = {
  key: 'key',
  status: 'requested',
  query: eventQuery,
  waiting: [waiter],
  file: null,
  manifest: null,
  error: null,
  requested_us: 1,
};

describe('an export file', () => {
  it('is requested by the first export, and not again by those that come while it is made', () => {
    given([]).when({ type: 'want', request: requestFile }).then(request);
    given([request]).when({ type: 'want', request: requestFile }).then(null);
  });

  it('is ready once it is complete, and is not requested again', () => {
    given([request])
      .when({ type: 'complete', file, manifest })
      .thenState({ ...wanted, status: 'ready', file, manifest });
    given([request, ready]).when({ type: 'want', request: requestFile }).then(null);
  });

  it('is completed once: a second worker changes nothing', () => {
    given([request, ready])
      .when({ type: 'complete', file: { ...file, storage_key: 'other' }, manifest })
      .then(null);
    given([request, ready]).when({ type: 'fail', error: 'late' }).then(null);
  });

  it('that failed is requested again by the next export', () => {
    const next = { account: 'b', export_id: 'j' };
    given([request, failed])
      .when({ type: 'want', request: { ...requestFile, waiter: next } })
      .thenState({ ...wanted, waiting: [next] });
  });

  it('whose object vanished is requested again', () => {
    const vanish = { type: 'vanish', storage_key: 's' } as const;
    const vanished: FileEvent = { type: 'FileMissing', data: { storage_key: 's' } };
    given([request, ready]).when(vanish).thenState(wanted);
    given([request, ready, vanished]).when(vanish).then(null);
    given([request, ready, vanished, failed]).when(vanish).then(vanished);
  });

  it('that was made again is not requested for an object that an export still references', () => {
    given([request, ready]).when({ type: 'vanish', storage_key: 'before' }).then(null);
    given([]).when({ type: 'vanish', storage_key: 's' }).then(null);
  });
});

describe('a file of a newer release', () => {
  it('keeps its fields in every event', () => {
    const state = fileState.parse(wanted);
    const done = fileState.parse({ ...wanted, status: 'ready', file });
    assertCarries(decider, { state, event: ready });
    assertCarries(decider, { state, event: failed });
    const vanished: FileEvent = { type: 'FileMissing', data: { storage_key: 's' } };
    assertCarries(decider, { state: done, event: vanished, removed: ['state.file'] });
    // Requested again after a failure: a new query, without the exports that waited before.
    const next = { account: 'b', export_id: 'j' };
    assertCarries(decider, {
      state,
      event: { type: 'FileRequested', data: { query: eventQuery, requested_us: 2, waiter: next } },
      removed: ['state.query', 'state.waiting.0'],
    });
  });
});
