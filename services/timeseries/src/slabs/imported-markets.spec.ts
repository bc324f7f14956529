import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { eventually } from '@almanac/testing';
import { importedMarkets } from './imported-markets.js';
import type { Prepared } from './slabs.js';

/** Notes the markets, and returns those that were prepared, in their order, once `isOver` holds of them. */
const preparedOf = async (
  tickers: readonly string[],
  outcomeOf: (ticker: string, attempt: number) => Prepared | Error,
  { until, max = 100 }: { until: (prepared: readonly string[]) => boolean; max?: number },
): Promise<string[]> => {
  const prepared: string[] = [];
  const one = importedMarkets({
    prepare: (ticker) => {
      prepared.push(ticker);
      const outcome = outcomeOf(ticker, prepared.filter((other) => other === ticker).length);
      return outcome instanceof Error ? Promise.reject(outcome) : Promise.resolve(outcome);
    },
    log: { warn: () => undefined },
    quietMs: 50,
    max,
  });
  for (const ticker of tickers) one.note(ticker);
  assert.deepEqual(prepared, [], 'nothing is prepared while an import runs');
  await eventually(() => assert.ok(until(prepared), prepared.join(' ')));
  await one.stop();
  return prepared;
};
const all =
  (count: number) =>
  (prepared: readonly string[]): boolean =>
    prepared.length === count;

describe('imported markets', () => {
  it('are prepared once each when the import is quiet, in the order of their first change', async () => {
    assert.deepEqual(await preparedOf(['A', 'B', 'A', 'C'], () => 'ready', { until: all(3) }), ['A', 'B', 'C']);
  });

  it('come again when readers were busy', async () => {
    const outcomeOf = (_: string, attempt: number): Prepared => (attempt === 1 ? 'busy' : 'ready');
    assert.deepEqual(await preparedOf(['A', 'B'], outcomeOf, { until: all(4) }), ['A', 'B', 'A', 'B']);
  });

  it('go on after one that failed', async () => {
    const outcomeOf = (ticker: string): Prepared | Error => (ticker === 'A' ? new Error('broken') : 'ready');
    assert.deepEqual(await preparedOf(['A', 'B'], outcomeOf, { until: all(2) }), ['A', 'B']);
  });

  it('are dropped when slabs have no more room', async () => {
    const ended = Promise.withResolvers<undefined>();
    const outcomeOf = (): Prepared => {
      setTimeout(() => ended.resolve(undefined), 100);
      return 'full';
    };
    assert.deepEqual(await preparedOf(['A', 'B', 'C'], outcomeOf, { until: all(1) }), ['A']);
    await ended.promise;
  });

  it('are at most as many as may wait', async () => {
    assert.deepEqual(await preparedOf(['A', 'B', 'C'], () => 'ready', { until: all(2), max: 2 }), ['A', 'B']);
  });
});
