import { describe, it } from 'node:test';
import { exportState } from '@almanac/contracts';
import { assertCarries, specificationOf } from '@almanac/event-store/testing';
import { type ExportEvent, exportDecider } from './export.decider.js';
import { eventQuery } from '../testing/queries.js';

const decider = exportDecider('account', 'export');
const { given } = specificationOf(decider);

const request = { query: eventQuery, grant: 'plan', file_key: 'k', filename: 'f.csv', requested_us: 1 } as const;
const requested: ExportEvent = { type: 'ExportRequested', data: request };
const ready = { storage_key: 's', bytes: 1, row_count: 2, markets: 1, sha256: 'h', ready_us: 3 };
const requestCommand = (changed: Partial<typeof eventQuery> = {}) =>
  ({ type: 'request', request: { ...request, query: { ...eventQuery, ...changed } } }) as const;

describe('an export', () => {
  it('is requested once', () => {
    given([]).when(requestCommand()).then(requested);
    given([requested]).when(requestCommand()).then(null);
    given([requested])
      .when(requestCommand({ streams: ['snapshots', 'settlement'].toReversed() as typeof eventQuery.streams }))
      .then(null);
  });

  it('refuses another query under its id', () => {
    given([requested])
      .when(requestCommand({ event: 'F' }))
      .thenThrows('idempotency_conflict');
    given([requested])
      .when({ type: 'request', request: { ...request, query: { ...eventQuery, format: 'json' } } })
      .thenThrows('idempotency_conflict');
  });

  it('ends once, as its file ended', () => {
    const { ready_us, ...file } = ready;
    const common = { id: 'export', account: 'account', ...request };
    given([requested])
      .when({ type: 'complete', ready })
      .thenState({ status: 'ready', ...common, file, ready_us });
    given([requested])
      .when({ type: 'fail', error: 'why' })
      .thenState({ status: 'failed', ...common, error: 'why' });
    given([requested, { type: 'ExportReady', data: ready }])
      .when({ type: 'complete', ready })
      .then(null);
    given([requested, { type: 'ExportReady', data: ready }])
      .when({ type: 'fail', error: 'late' })
      .then(null);
    given([requested, { type: 'ExportFailed', data: { error: 'why' } }])
      .when({ type: 'complete', ready })
      .then(null);
  });

  it('stays ready since its first completion, and takes another file when its own vanished', () => {
    const again = { ...ready, storage_key: 'again', ready_us: 9 };
    given([requested, { type: 'ExportReady', data: ready }])
      .when({ type: 'complete', ready: again })
      .then({ type: 'ExportReady', data: { ...again, ready_us: 3 } });
  });

  it('of a dataset is ready only with the bytes of the dataset, and never takes others', () => {
    const dataset = { id: 'ds-1', sha256: 'h', requested_us: 0 };
    const ofDataset: ExportEvent = { type: 'ExportRequested', data: { ...request, dataset } };
    given([ofDataset]).when({ type: 'complete', ready }).then({ type: 'ExportReady', data: ready });
    const other = { ...ready, sha256: 'other', storage_key: 'again' };
    const error =
      'The file was made again, but not with the same bytes as the dataset. You were not charged. Export the target itself to get the current data.';
    given([ofDataset]).when({ type: 'complete', ready: other }).then({ type: 'ExportFailed', data: { error } });
    given([ofDataset, { type: 'ExportReady', data: ready }])
      .when({ type: 'complete', ready: other })
      .then(null);
  });

  it('is cancelled once, while it is pending', () => {
    const cancelled: ExportEvent = { type: 'ExportCancelled', data: {} };
    const common = { id: 'export', account: 'account', ...request };
    given([requested]).when({ type: 'cancel' }).then(cancelled);
    given([requested])
      .when({ type: 'cancel' })
      .thenState({ status: 'cancelled', ...common });
    given([requested, cancelled]).when({ type: 'cancel' }).then(null);
    given([requested, cancelled]).when({ type: 'complete', ready }).then(null);
    given([requested, cancelled]).when({ type: 'fail', error: 'late' }).then(null);
    given([requested, { type: 'ExportReady', data: ready }])
      .when({ type: 'cancel' })
      .thenThrows('export_ended');
    given([requested, { type: 'ExportFailed', data: { error: 'why' } }])
      .when({ type: 'cancel' })
      .thenThrows('export_ended');
    given([]).when({ type: 'cancel' }).thenThrows('export_not_found');
  });

  it('does not end before it was requested', () => {
    given([]).when({ type: 'complete', ready }).then(null);
  });
});

describe('an export of a newer release', () => {
  const { ready_us: _, ...file } = ready;
  const others = [{ day: '2026-01-02', grant: 'plan', file_key: 'l', filename: 'g' }];
  const group = { id: 'i', part: 0, from: '2026-01-01', to: '2026-01-02', others };
  const pending = exportState.parse({ status: 'pending', id: 'export', account: 'account', ...request, group });
  const isReady = exportState.parse({ ...pending, status: 'ready', file, ready_us: 2 });

  it('keeps its fields in every event', () => {
    const becomesReady: ExportEvent = { type: 'ExportReady', data: ready };
    assertCarries(decider, { state: pending, event: becomesReady });
    assertCarries(decider, { state: pending, event: { type: 'ExportFailed', data: { error: 'e' } } });
    assertCarries(decider, { state: pending, event: { type: 'ExportCancelled', data: {} } });
    assertCarries(decider, { state: isReady, event: becomesReady, removed: ['state.file'] });
  });
});
