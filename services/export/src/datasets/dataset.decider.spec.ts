import { describe, it } from 'node:test';
import { datasetState } from '@almanac/contracts';
import { assertCarries } from '@almanac/event-store/testing';
import { datasetDecider } from './dataset.decider.js';

describe('a dataset of a newer release', () => {
  it('keeps its fields', () => {
    const dataset = { sha256: 'h', bytes: 1, file_key: 'k', requested_us: 1, made_us: 2, manifest: '' };
    const state = datasetState.parse({ id: 'ds-1', ...dataset });
    assertCarries(datasetDecider('ds-1'), { state, event: { type: 'DatasetRecorded', data: dataset } });
  });
});
