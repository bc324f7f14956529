import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Mutant, runWithMutant } from '@almanac/testing';

const proof = new URL('non-interference.full.spec.js', import.meta.url);

/** Each puts one leak back. */
const leaks: Readonly<Record<string, Mutant>> = {
  'the result': { file: '/market-as-of.js', from: "result: text('result')", to: 'result: state.result' },
  'the number of rows': {
    file: '/as-of/received.js',
    from: 'Math.min(window.endUs, receivedEndUs(market))',
    to: 'window.endUs',
  },
  'the end of a gap': {
    file: '/gaps/market-gaps.js',
    from: '[{ ...span, end_us: asOfUs, end_reason: null }]',
    to: '[span]',
  },
  'the default window': { file: '/as-of/last-rows.js', from: 'later.length === 0', to: 'true' },
  'the window of trades': { file: '/trades/trade-times.js', from: 'times.firstUs > asOfUs', to: 'false' },
};

describe('the proof that answers as of a time have nothing later', () => {
  for (const [what, mutant] of Object.entries(leaks)) {
    it(`fails if ${what} leaks`, async () => {
      const { passed, output } = await runWithMutant(proof, mutant);
      assert.ok(!passed, `the leak was not noticed: ${output.slice(-2_000)}`);
      assert.match(output, /AssertionError[^]* as of \d+, market \d+/, output.slice(-2_000));
    });
  }
});
