import { describe, it } from 'node:test';
import { moneySequences } from './sequences.js';

const seed = Date.now() % 1_000_000;

describe('commerce', { timeout: 3_600_000 }, () => {
  for (const mode of ['stub', 'stripe'] as const) {
    it(`in ${mode} mode charges exactly for what it unlocks, through random operations, repeats and crashes`, async (test) => {
      const steps = await moneySequences(mode, 1_000, seed);
      test.diagnostic(`${steps} steps, seed ${seed}`);
    });
  }
});
