import { type DatasetState, datasetState } from '@almanac/contracts';
import type { Decider } from '@almanac/event-store';

type NewDataset = Omit<DatasetState, 'id'>;
export type DatasetRecorded = { readonly type: 'DatasetRecorded'; readonly data: NewDataset };

/** One dataset. It is recorded once and never changes: later files with the same bytes are the same dataset. */
export const datasetDecider = (id: string): Decider<DatasetState, NewDataset, DatasetRecorded> => ({
  state: datasetState,
  decide: (dataset, state) => (state === undefined ? { type: 'DatasetRecorded', data: dataset } : null),
  evolve: (state, { data }) => ({ ...state, id, ...data }),
});
