import { describe, it } from 'node:test';
import { assertNoticed, type Mutant } from '@almanac/testing';

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
      await assertNoticed(proof, mutant, /AssertionError[^]* as of \d+, market \d+/);
    });
  }
});
