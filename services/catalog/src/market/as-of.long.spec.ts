import { after, before } from 'node:test';
import { testNumber } from '@almanac/testing';
import { type CatalogHarness, startHarness } from '../testing/harness.js';
import { describeNonInterference } from '../testing/non-interference-suite.js';
import { describeTwoArchives } from '../testing/two-archives-suite.js';

let harness: CatalogHarness;
before(async () => {
  harness = await startHarness();
});
after(() => harness.stop());

describeTwoArchives(() => harness, { seed: testNumber('seed', Date.now() % 1_000_000), events: 100, times: 20 });
describeNonInterference(() => harness, { seed: testNumber('seed', Date.now() % 1_000_000), events: 300, times: 8 });
