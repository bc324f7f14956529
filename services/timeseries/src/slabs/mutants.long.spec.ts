import { describe, it } from 'node:test';
import { assertNoticed, type Mutant } from '@almanac/testing';

const proof = new URL('slabs.full.spec.js', import.meta.url);

/** Each takes a shortcut that an answer would show. */
const mutants: Readonly<Record<string, Mutant>> = {
  'a window has the row at its end': {
    file: '/slabs/slab-file.js',
    from: 'countBelow(rows.us.length, usAt, endUs)',
    to: 'countBelow(rows.us.length, usAt, endUs + 1)',
  },
  'a window lacks the row at its start': {
    file: '/slabs/slab-file.js',
    from: 'countBelow(rows.us.length, usAt, startUs)',
    to: 'countBelow(rows.us.length, usAt, startUs + 1)',
  },
  'a slab is of any version': { file: '/slabs/make-slabs.js', from: 'version: market.version', to: 'version: 1' },
  'books are those of a slab without books': {
    file: '/slabs/slab-kind.js',
    from: "withBook ? 'books' : 'top'",
    to: "'top'",
  },
  'sizes are those of a slab without sizes': {
    file: '/slabs/slab-kind.js',
    from: "withSizes ? '-sizes' : ''",
    to: "''",
  },
  'a book is not noticed': {
    file: '/slabs/select-rows.js',
    from: 'part.hasBook[row] === 1',
    to: 'false',
  },
  'a step ends with its slab': {
    file: '/slabs/select-rows.js',
    from: 'filled[index + 1]?.us[0]',
    to: 'undefined',
  },
  'rows above the limit are not counted': {
    file: '/slabs/select-rows.js',
    from: 'rowsBeforeLimit += part.us.length - count;',
    to: '',
  },
};

describe('the proof that answers from slabs are those of ClickHouse', () => {
  for (const [what, mutant] of Object.entries(mutants)) {
    it(`fails if ${what}`, async () => {
      await assertNoticed(proof, mutant, /AssertionError[^]*(?:other bytes|another head|rows at version)/);
    });
  }
});
