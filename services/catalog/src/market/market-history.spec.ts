import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { changesMax, type KnownValues } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { mergeHistory, newestOf } from './market-history.js';

const recorded = (known_us: number, values: KnownValues['values']): KnownValues => ({
  known_us,
  basis: 'recorded',
  values,
});
const merged = (...statements: readonly KnownValues[]): readonly KnownValues[] =>
  statements.reduce<readonly KnownValues[]>((known, one) => mergeHistory(known, [one]), []);

describe('the history of a market', () => {
  it('has every dated statement, in any order', () => {
    const [early, late] = [recorded(5, { result: 'yes', close_us: '9' }), recorded(7, { result: 'yes' })];
    for (const order of [
      [early, late],
      [late, early, late],
    ])
      assert.deepEqual(merged(...order), [early, late]);
    assert.deepEqual([newestOf([early, late], 'result'), newestOf([early], 'title')], ['yes', undefined]);
  });

  it('has a value that returns, and one that is taken back', () => {
    const statements = [
      recorded(1, { venue_status: 'active' }),
      recorded(2, { venue_status: 'finalized', result: 'yes' }),
      recorded(3, { venue_status: 'active', result: '' }),
    ];
    for (const order of [statements, statements.toReversed()]) {
      const history = merged(...order);
      assert.deepEqual(history, statements);
      assert.deepEqual([newestOf(history, 'venue_status'), newestOf(history, 'result')], ['active', '']);
    }
  });

  it('takes a receipt over a time of the venue, and that over a conclusion, even if it is later', () => {
    const at = (known_us: number | null, basis: KnownValues['basis']): KnownValues => ({
      known_us,
      basis,
      values: { result: 'yes' },
    });
    const statements = [at(9, 'recorded'), at(5, 'venue'), at(1, 'inferred'), at(null, null)];
    for (const [from, best] of statements.entries()) {
      assert.deepEqual(merged(...statements.slice(from)), [best]);
      assert.deepEqual(merged(...statements.slice(from).toReversed()), [best]);
    }
  });

  it('keeps two values with one time, and lists unknown times last', () => {
    const rules = { known_us: null, basis: null, values: { rules: 'R' } };
    const history = merged(
      rules,
      recorded(5, { result: 'yes' }),
      recorded(5, { result: 'no' }),
      recorded(2, { title: 'T' }),
    );
    assert.deepEqual(history, [
      recorded(2, { title: 'T' }),
      recorded(5, { result: 'no' }),
      recorded(5, { result: 'yes' }),
      rules,
    ]);
  });

  it('stays bounded, with the earliest values of each field', () => {
    const closes = Array.from({ length: 3 * changesMax }, (_, n) =>
      recorded(n, { close_us: String(n), rules: `R${n}` }),
    );
    const remaining = merged(...closes.toReversed());
    assert.deepEqual(merged(...closes), remaining);
    assert.equal(remaining.length, changesMax);
    assert.deepEqual(remaining[0], closes[0]);
    assert.deepEqual(merged(recorded(1, { title: 'T'.repeat(2_001), result: 'yes' })), [
      recorded(1, { result: 'yes' }),
    ]);
    assert.equal(remaining.filter(({ values }) => values.rules !== undefined).length, 4);
  });

  it('is the same in any order, in any batches and after repeated statements', () => {
    for (let round = 0; round < 500; round += 1) {
      const random = seededRandom(round);
      const statements = Array.from({ length: 1 + Math.floor(random() * 12) }, (): KnownValues => {
        const below = (n: number): number => Math.floor(random() * n);
        const basis = (['recorded', 'venue', 'inferred'] as const)[below(4)] ?? null;
        return {
          known_us: basis === null ? null : below(6),
          basis,
          values: { [['result', 'close_us', 'rules'][below(3)] ?? 'title']: `value ${below(3)}` },
        };
      });
      const expected = mergeHistory([], statements);
      const shuffled = [...statements, ...statements.slice(3)]
        .map((one) => ({ one, place: random() }))
        .toSorted((a, b) => a.place - b.place)
        .map(({ one }) => one);
      assert.deepEqual(merged(...shuffled), expected, `round ${round}`);
      assert.deepEqual(mergeHistory(expected, statements), expected);
      assert.deepEqual(mergeHistory(statements.slice(0, 1), expected), expected);
    }
  });
});
