import { after, before, describe, it } from 'node:test';
import { type Case, check, request } from './matrix.js';
import type { OpenStand } from './stand.js';

export interface DescribedFiles {
  readonly open: () => Promise<OpenStand>;
  readonly cases: readonly Case[];
  /** Why they cannot be tested here. */
  readonly skip?: string | false;
}

/** More than there are workers, so that some wait. */
const askedAtOnce = 8;

/** A test for each case, whose files are all asked for before the first is read. */
export const describeFiles = (name: string, { open, cases, skip = false }: DescribedFiles): void => {
  void describe(name, () => {
    let stand: OpenStand;
    const asked = new Map<Case, string>();
    if (skip === false)
      before(async () => {
        stand = await open();
        const left = cases.values();
        const ask = async (): Promise<void> => {
          for (const one of left) asked.set(one, (await request(stand, one)).id);
        };
        await Promise.all(Array.from({ length: askedAtOnce }, ask));
      });
    after(() => stand?.stop());

    for (const one of cases) void it(one.name, { skip }, () => check(stand, one, asked.get(one) ?? ''));
  });
};
