import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparePairs, DifferentAnswers, median } from './pairs.js';

describe('pairs of runs', () => {
  it('the ratio is the median of the pairs, so one disturbed pair does not count', async () => {
    const rates = [80, 90, 10, 85, 82];
    const found = await comparePairs(
      {
        ours: (round) => Promise.resolve({ rate: rates[round] ?? 0, digest: round }),
        reference: (round) => Promise.resolve({ rate: 100, digest: round }),
      },
      rates.length,
    );
    assert.equal(found.ratio, 0.82);
    assert.equal(found.reference, 100);
  });

  it('each side goes first in turn', async () => {
    const order: string[] = [];
    const shoot = (name: string) => () => {
      order.push(name);
      return Promise.resolve({ rate: 1, digest: 0 });
    };
    await comparePairs({ ours: shoot('ours'), reference: shoot('reference') }, 2);
    assert.deepEqual(order, ['ours', 'reference', 'reference', 'ours']);
  });

  it('different answers fail the row whatever the rates', async () => {
    const side = (digest: number) => () => Promise.resolve({ rate: 1, digest });
    await assert.rejects(comparePairs({ ours: side(1), reference: side(2) }, 1), DifferentAnswers);
  });

  it('the median of an even number lies between the two in the middle', () => {
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });
});
