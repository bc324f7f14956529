import { after, before, describe } from 'node:test';
import { fuzz } from './fuzz-suite.js';
import { type ConformanceHarness, startConformanceHarness } from './harness.js';

describe('the API', () => {
  let harness: ConformanceHarness;
  before(async () => {
    harness = await startConformanceHarness();
  });
  after(() => harness.stop());
  fuzz(() => harness, { inputs: 1_000_000, seed: Date.now() % 999_999_999 });
});
