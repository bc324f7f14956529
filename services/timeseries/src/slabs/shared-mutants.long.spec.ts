import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { assertNoticed, type Mutant } from '@almanac/testing';

const proof = new URL('slab-store.int.spec.js', import.meta.url);

/** Each takes a shortcut with slabs of other processes, and the test that notices it. */
const mutants: Readonly<Record<string, Mutant & { readonly noticedBy: string }>> = {
  'a name is of all versions': {
    file: '/slabs/slab-store.js',
    from: '/${id}-${version}',
    to: '/${id}',
    noticedBy: 'of another data version are not used',
  },
  'a slab of another version is taken': {
    file: '/slabs/slab-format.js',
    from: 'key[name] !== value',
    to: "name !== 'version' && key[name] !== value",
    noticedBy: 'of another data version are not used',
  },
  'a wrong checksum is accepted': {
    file: '/slabs/slab-blocks.js',
    from: 'sum !== blockAt(at)',
    to: 'from > to && sum !== blockAt(at)',
    noticedBy: 'that are cut, corrupt or of something else are not used, and are replaced',
  },
  'bytes that arrive are not verified': {
    file: '/slabs/receive-slab.js',
    from: 'await slab.verify();',
    to: '',
    noticedBy: 'that are cut, corrupt or of something else are not used, and are replaced',
  },
  'a slab is shared before its market is over': {
    file: '/slabs/make-slabs.js',
    from: 'source.market.isOver',
    to: 'source.market',
    noticedBy: 'of a market that is not over are not stored',
  },
};

describe('the proof that shared slabs are right', () => {
  for (const [what, { noticedBy, ...mutant }] of Object.entries(mutants)) {
    it(`fails if ${what}`, async () => {
      const output = await assertNoticed(proof, mutant);
      const failed = output.split('\n').flatMap((line) => /✖ (.+) \(/.exec(line)?.[1] ?? []);
      assert.ok(failed.includes(noticedBy), `it was noticed by others: ${failed.join()}\n${output.slice(-2_000)}`);
    });
  }
});
