import type { RpcContext } from '@almanac/bus/server';
import type { catalogRpc, InputOf, OutputOf } from '@almanac/contracts';
import type { CatalogDeps } from '../catalog-deps.js';
import { idSourcesOf, nearestId } from '../nearest/nearest-id.js';
import { exportTarget, type Target } from '../target/export-target.query.js';
import { unixMicros } from '@almanac/runtime';

/** These answers are used at once and not repeated, so they are not cached. */
export const answerNearestId = async (
  deps: CatalogDeps,
  input: InputOf<typeof catalogRpc.nearestId>,
  context: RpcContext,
): Promise<OutputOf<typeof catalogRpc.nearestId>> => {
  const { signal } = context;
  const find = () => nearestId(idSourcesOf(deps), input, { nowUs: unixMicros(), signal });
  return { nearest: await deps.slots.run(context, find) };
};

export const answerExportTarget = (
  { sources, store, slots }: CatalogDeps,
  input: InputOf<typeof catalogRpc.exportTarget>,
  context: RpcContext,
): Promise<Target> => {
  const { signal } = context;
  return slots.run(context, () => exportTarget({ ...sources, store }, input, { nowUs: unixMicros(), signal }));
};
