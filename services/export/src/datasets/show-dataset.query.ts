import { type DatasetResponse, notFound, presentDataset, readTimeOf } from '@almanac/contracts';
import type { EventStore } from '@almanac/event-store';
import { loadDataset } from './datasets.js';

/**
 * Any caller may see a dataset whose id it has (docs/decisions/068-datasets.md). With `asOf`, one of the present or of a later
 * time does not exist. Throws `dataset_not_found` and `as_of_in_future`.
 */
export const showDataset = async (
  store: EventStore,
  { id, asOf }: { readonly id: string; readonly asOf: number | undefined },
): Promise<DatasetResponse> => {
  readTimeOf(asOf);
  const { state, manifest } = await loadDataset(store, id);
  if (asOf !== undefined && (manifest.query.as_of ?? Infinity) > asOf) throw notFound('dataset_not_found', id);
  return presentDataset(state, manifest);
};
