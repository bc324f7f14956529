import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { comparePairs, DifferentAnswers, median } from './pairs.js';

describe('pairs of runs', () => {
  it('use the median ratio of the pairs, so one disturbed pair does not count', async () => {
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

  it('start with each side in turn', async () => {
    const order: string[] = [];
    const shoot = (name: string) => () => {
      order.push(name);
      return Promise.resolve({ rate: 1, digest: 0 });
    };
    await comparePairs({ ours: shoot('ours'), reference: shoot('reference') }, 2);
    assert.deepEqual(order, ['ours', 'reference', 'reference', 'ours']);
  });

  it('fail the row when the answers differ, whatever the rates', async () => {
    const side = (digest: number) => () => Promise.resolve({ rate: 1, digest });
    await assert.rejects(comparePairs({ ours: side(1), reference: side(2) }, 1), DifferentAnswers);
  });

  it('use the mean of the two middle values for an even number', () => {
    assert.equal(median([4, 1, 3, 2]), 2.5);
  });
});
