import { after, before, describe, it } from 'node:test';
import { type Case, check, request } from './matrix.js';
import type { RunningHarness } from './harness.js';

export interface DescribedFiles {
  readonly open: () => Promise<RunningHarness>;
  readonly cases: readonly Case[];
  /** Why these tests cannot run here. */
  readonly skip?: string | false;
}

/** More than the number of workers, so that some exports wait. */
const concurrentExports = 8;

/** Runs a test for each case. All files are requested before the first is read. */
export const describeFiles = (name: string, { open, cases, skip = false }: DescribedFiles): void => {
  void describe(name, () => {
    let harness: RunningHarness;
    const exportIds = new Map<Case, string>();
    if (skip === false)
      before(async () => {
        harness = await open();
        const left = cases.values();
        const requestNext = async (): Promise<void> => {
          for (const one of left) exportIds.set(one, (await request(harness, one)).id);
        };
        await Promise.all(Array.from({ length: concurrentExports }, requestNext));
      });
    after(() => harness?.stop());

    for (const one of cases) void it(one.name, { skip }, () => check(harness, one, exportIds.get(one) ?? ''));
  });
};
