import { describe, it } from 'node:test';
import { specificationOf } from '@almanac/event-store/testing';
import { type FileEvent, fileDecider } from './file.decider.js';

const { given } = specificationOf(fileDecider('key'));

const exportQuery = {
  event: 'E',
  ticker: null,
  series: 'S',
  day: null,
  streams: ['snapshots' as const],
  format: 'csv' as const,
  numbers: 'decimal' as const,
};
const waiter = (export_id: string) => ({ account: 'a', export_id });
const requestFile = (export_id: string) => ({ question: exportQuery, waiter: waiter(export_id), requested_us: 1 });
const file = { storage_key: 's', bytes: 1, row_count: 2, markets: 1, sha256: 'h' };
const request: FileEvent = { type: 'FileWanted', data: requestFile('1') };
const manifest = 'bQ==';
const ready: FileEvent = { type: 'FileReady', data: { ...file, manifest } };
const failed: FileEvent = { type: 'FileFailed', data: { error: 'why' } };

describe('an export file', () => {
  it('is requested by the first export, and awaited by those that come while it is made', () => {
    given([])
      .when({ type: 'want', request: requestFile('1') })
      .then(request);
    given([request])
      .when({ type: 'want', request: requestFile('1') })
      .then(null);
    given([request])
      .when({ type: 'want', request: requestFile('2') })
      .then({ type: 'WaiterAdded', data: { waiter: waiter('2') } });
  });

  it('lists its waiting exports when it is ready, and accepts no more', () => {
    given([request, { type: 'WaiterAdded', data: { waiter: waiter('2') } }])
      .when({ type: 'complete', file, manifest })
      .thenState({
        key: 'key',
        status: 'ready',
        question: exportQuery,
        file,
        manifest,
        error: null,
        requested_us: 1,
        waiting: [waiter('1'), waiter('2')],
      });
    given([request, ready])
      .when({ type: 'want', request: requestFile('3') })
      .then(null);
  });

  it('is completed once: a second worker changes nothing', () => {
    given([request, ready])
      .when({ type: 'complete', file: { ...file, storage_key: 'other' }, manifest })
      .then(null);
    given([request, ready]).when({ type: 'fail', error: 'late' }).then(null);
  });

  it('that failed is requested again by the next export, which alone waits for it', () => {
    given([request, failed])
      .when({ type: 'want', request: requestFile('2') })
      .thenState({
        key: 'key',
        status: 'wanted',
        question: exportQuery,
        file: null,
        manifest: null,
        error: null,
        requested_us: 1,
        waiting: [waiter('2')],
      });
  });

  it('whose object vanished is requested again, for its earlier exports and the one that missed it', () => {
    const vanish = { type: 'vanish', storage_key: 's', waiter: waiter('2') } as const;
    const vanished: FileEvent = { type: 'FileVanished', data: { storage_key: 's', waiter: waiter('2') } };
    given([request, ready])
      .when(vanish)
      .thenState({
        key: 'key',
        status: 'wanted',
        question: exportQuery,
        file: null,
        manifest: null,
        error: null,
        requested_us: 1,
        waiting: [waiter('1'), waiter('2')],
      });
    given([request, ready, vanished]).when(vanish).then(null);
    given([request, ready, vanished])
      .when({ ...vanish, waiter: waiter('3') })
      .then({ type: 'WaiterAdded', data: { waiter: waiter('3') } });
    given([request, ready, vanished, failed]).when(vanish).then(vanished);
  });

  it('that was made again is not requested for an object that an export still references', () => {
    given([request, ready])
      .when({ type: 'vanish', storage_key: 'before', waiter: waiter('2') })
      .then(null);
    given([])
      .when({ type: 'vanish', storage_key: 's', waiter: waiter('2') })
      .then(null);
  });
});
