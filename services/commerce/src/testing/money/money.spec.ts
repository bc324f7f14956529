import { describe, it } from 'node:test';
import { moneySequences } from './sequences.js';

describe('money', { timeout: 3_600_000 }, () => {
  for (const mode of ['stub', 'stripe'] as const) {
    it(`in ${mode} mode is charged for what is unlocked and for nothing else, whatever is done, repeated and crashes`, async (test) => {
      const steps = await moneySequences(mode, 40, 4_711);
      test.diagnostic(`${steps} steps`);
    });
  }
});
