import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { preparations } from './preparations.js';

/** Units of work that end when the test ends them, in the order they were started. */
const works = () => {
  const started: string[] = [];
  const gates = new Map<string, PromiseWithResolvers<void>>();
  const work = (ticker: string) => async (): Promise<void> => {
    started.push(ticker);
    const gate = Promise.withResolvers<void>();
    gates.set(ticker, gate);
    await gate.promise;
  };
  const end = async (ticker: string, error?: Error): Promise<void> => {
    if (error === undefined) gates.get(ticker)?.resolve();
    else gates.get(ticker)?.reject(error);
    await new Promise(setImmediate);
  };
  return { begun: started, work, end };
};

describe('the preparations of a process', () => {
  it('run once for a market within a limit, queue in order within a limit, and are refused beyond it', async () => {
    const { begun, work, end } = works();
    const failed: string[] = [];
    const onFailure = (_: unknown, ticker: string): void => void failed.push(ticker);
    const made = preparations({ atOnce: 2, waitingMax: 2, accountWaitingMax: 2, onFailure });
    const offer = (ticker: string): boolean => made.offer(ticker, 'one', work(ticker));
    const offered = ['A', 'A', 'B', 'C', 'D', 'C', 'E'].map(offer);
    assert.deepEqual(offered, [true, true, true, true, true, true, false]);
    assert.deepEqual(begun, ['A', 'B']);
    await end('B', new Error('broken'));
    assert.deepEqual([begun, failed], [['A', 'B', 'C'], ['B']]);
    assert.equal(offer('E'), true, 'there is room again');
    assert.equal(offer('B'), false);
    for (const ticker of ['A', 'C', 'D', 'E']) await end(ticker);
    assert.deepEqual(begun, ['A', 'B', 'C', 'D', 'E']);
    assert.equal(offer('A'), true, 'what has ended may be prepared again');
    assert.deepEqual(begun.at(-1), 'A');
  });

  it('of an account with many leave room and turns to others', async () => {
    const { begun, work, end } = works();
    const made = preparations({ atOnce: 1, waitingMax: 8, onFailure: () => undefined });
    const offered = ['A1', 'A2', 'A3', 'A4', 'A5'].map((ticker) => made.offer(ticker, 'a', work(ticker)));
    assert.deepEqual(offered, [true, true, true, false, false], 'one runs, and a quarter of the queue waits');
    assert.equal(made.offer('B1', 'b', work('B1')), true);
    await end('A1');
    await end('A2');
    await end('B1');
    assert.deepEqual(begun, ['A1', 'A2', 'B1', 'A3']);
    await end('A3');
  });

  it('end with the running ones when the process stops', async () => {
    const { begun, work, end } = works();
    const made = preparations({ atOnce: 1, waitingMax: 5, onFailure: () => undefined });
    made.offer('A', 'one', work('A'));
    made.offer('B', 'one', work('B'));
    const stopped = made.stop();
    await end('A');
    await stopped;
    assert.equal(made.offer('C', 'one', work('C')), false);
    assert.deepEqual(begun, ['A']);
  });
});
