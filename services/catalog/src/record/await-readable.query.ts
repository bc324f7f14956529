import type { catalogRpc, InputOf, OutputOf } from '@almanac/contracts';
import type { CatalogDeps } from '../catalog-deps.js';

/** Resolves when queries show what was recorded up to a position. Figures are then counted again before they are shown. */
export const awaitReadable = async (
  { changes, figures, events }: Pick<CatalogDeps, 'changes' | 'figures' | 'events'>,
  { seq }: InputOf<typeof catalogRpc.awaitReadable>,
  timeoutMs: number,
): Promise<OutputOf<typeof catalogRpc.awaitReadable>> => {
  const readable = await changes.awaitReadable(seq, timeoutMs);
  figures.requireRefresh();
  events.requireRefresh();
  return readable;
};
