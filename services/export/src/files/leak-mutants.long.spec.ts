import { describe, it } from 'node:test';
import { assertNoticed, type Mutant } from '@almanac/testing';

const ofFiles = new URL('files-as-of.int.spec.js', import.meta.url);
const ofExports = new URL('../exports/exports-as-of.int.spec.js', import.meta.url);

/** Each puts one leak back. */
const leaks: Readonly<Record<string, Mutant & { readonly proof: URL }>> = {
  'a row': {
    proof: ofFiles,
    file: '/file-selection.js',
    from: 'observations: `${selection.observations} AND ${received}`',
    to: 'observations: selection.observations',
  },
  'a trade': {
    proof: ofFiles,
    file: '/file-selection.js',
    from: 'trades: `${selection.trades} AND ${received}`',
    to: 'trades: selection.trades',
  },
  'a result': {
    proof: ofFiles,
    file: '/file-selection.js',
    from: '`${marketsAsOf(asOfUs, isByTimes ? ofSeries : where)} AS past WHERE ${where}`',
    to: '`markets FINAL WHERE ${where}`',
  },
  'the end of a gap': {
    proof: ofFiles,
    file: '/recording-gaps.js',
    from: 'const asOfUs = asOfMicros(as_of);',
    to: 'const asOfUs = Infinity;',
  },
  'a data version in the manifest': {
    proof: ofExports,
    file: '/write-file.js',
    from: 'exportQuery.as_of === undefined ? (versionOf.get(ticker) ?? 0) : null',
    to: 'versionOf.get(ticker) ?? 0',
  },
  'an export in the list': {
    proof: ofExports,
    file: '/list-exports.query.js',
    from: '(input.as_of === undefined || (one.as_of ?? Infinity) <= input.as_of)',
    to: 'true',
  },
};

describe('the proof that a file as of a time has nothing later', () => {
  for (const [what, { proof, ...mutant }] of Object.entries(leaks)) {
    it(`fails if ${what} leaks`, async () => {
      await assertNoticed(proof, mutant);
    });
  }
});
