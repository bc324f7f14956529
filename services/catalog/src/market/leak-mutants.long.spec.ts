import { describe, it } from 'node:test';
import { assertNoticed, type Mutant } from '@almanac/testing';

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
      await assertNoticed(proof, mutant, /AssertionError[^]* of event \d+ as of \d+/);
    });
  }
});
