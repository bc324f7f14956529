import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type Mutant, runWithMutant } from '@almanac/testing';

const proof = new URL('as-of.full.spec.js', import.meta.url);

/** Each puts one leak back. */
const leaks: Readonly<Record<string, Mutant>> = {
  'the result': {
    file: '/market-as-of.js',
    from: "result: text('result')",
    to: 'result: state.result',
  },
  'a value in lists': {
    file: '/markets-as-of.js',
    from: '`${last(field)} AS ${field}`',
    to: '`${field} AS ${field}`',
  },
  'the ranking': {
    file: '/markets-as-of.js',
    from: "ifNull(${last('words')}, '')",
    to: 'markets.words',
  },
  'the number of markets': {
    file: '/markets-as-of.js',
    from: 'ifNull(listed_us <= ${asOf}, false)',
    to: 'true',
  },
};

describe('the proof that the catalogue as of a time has nothing later', () => {
  for (const [what, mutant] of Object.entries(leaks)) {
    it(`fails if ${what} leaks`, async () => {
      const { passed, output } = await runWithMutant(proof, mutant);
      assert.ok(!passed, `the leak was not noticed: ${output.slice(-2_000)}`);
      assert.match(output, /AssertionError[^]* of event \d+ as of \d+/, output.slice(-2_000));
    });
  }
});
