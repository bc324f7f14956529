import { after, before } from 'node:test';
import { testNumber } from '@almanac/testing';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { describeNonInterference } from '../testing/non-interference-suite.js';
import { describeTwoArchives } from '../testing/two-archives-suite.js';

// The properties of as-of.int.spec.ts at the size at which they notice every leak of leak-mutants.long.spec.ts.
let harness: CatalogHarness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.stop());

describeTwoArchives(() => harness, { seed: testNumber('seed', 80), events: 6, times: 1 });
describeNonInterference(() => harness, { seed: testNumber('seed', 75), events: 6, times: 4 });
