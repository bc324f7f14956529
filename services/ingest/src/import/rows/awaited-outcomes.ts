import type { KnownOutcomes } from '../../sources/known-outcomes.js';
import { copyText } from '../../values/copy-text.js';
import type { FileReport } from '../../intake/report.js';

const waitsForMax = 100_000;

/** Notes the ids that a file needs and no source has named yet. */
export const awaitedOutcomes = (outcomes: KnownOutcomes, { waitsFor }: FileReport): KnownOutcomes => ({
  ...outcomes,
  get: (id) => {
    const found = outcomes.get(id);
    if (found || waitsFor.has(id) || waitsFor.size >= waitsForMax) return found;
    waitsFor.add(copyText(id));
    outcomes.watch([id]);
    return undefined;
  },
});
