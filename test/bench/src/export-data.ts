import { makeArchive, type Shape } from './data.js';
import type { BenchHarness } from './harness.js';

const created = new Map<BenchHarness, Map<Shape, Promise<void>>>();

/** Creates the markets before the first row that needs them. Other rows do not wait for it. */
export const makeOnce = (harness: BenchHarness, shape: Shape): Promise<void> => {
  const ofHarness = created.get(harness) ?? new Map<Shape, Promise<void>>();
  created.set(harness, ofHarness);
  const making = ofHarness.get(shape) ?? makeArchive(harness.system, harness.admin, shape);
  ofHarness.set(shape, making);
  return making;
};
