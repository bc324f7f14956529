import { after, before, describe, it } from 'node:test';
import { type Case, check, request } from './matrix.js';
import type { OpenStand } from './stand.js';

export interface DescribedFiles {
  readonly open: () => Promise<OpenStand>;
  readonly cases: readonly Case[];
  /** Why they cannot be tested here. */
  readonly skip?: string | false;
}

/** A test for each case. All exports are asked for at once, as a queue is longer than its workers. */
export const describeFiles = (name: string, { open, cases, skip = false }: DescribedFiles): void => {
  void describe(name, { skip }, () => {
    let stand: OpenStand;
    let asked: ReadonlyMap<Case, string>;
    before(async () => {
      stand = await open();
      const ids = await Promise.all(cases.map(async (one) => [one, (await request(stand, one)).id] as const));
      asked = new Map(ids);
    });
    after(() => stand?.stop());

    for (const one of cases) void it(one.name, () => check(stand, one, asked.get(one) ?? ''));
  });
};
