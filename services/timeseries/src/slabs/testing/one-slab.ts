import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { openUs } from '../../testing/random-market.js';
import type { ComparedReads, SlabProcess, SnapshotsInput } from './compared-reads.js';

export const second = 1_000_000;
export const rowsN = 900;

/** All rows of a market that has one slab. */
export const windowOf = (ticker: string): SnapshotsInput => ({
  ticker,
  start_ts: openUs / second,
  end_ts: openUs / second + rowsN,
  step_ms: 1_000,
});

export const newMarket = async (
  { fixture, callers }: ComparedReads,
  closeUs = openUs + rowsN * second,
): Promise<string> => {
  const ticker = `M-${randomUUID()}`;
  await fixture.market({ ticker, open_us: openUs, close_us: closeUs });
  const rows = Array.from({ length: rowsN }, (_, at) => ({
    us: openUs + at * second,
    seq: at,
    bid: '0.5',
    ask: '0.6',
  }));
  await callers.store(ticker, rows);
  return ticker;
};

/** Reads the market until its slab is made. */
export const makeSlab = async (process: SlabProcess, ticker: string): Promise<void> => {
  for (let count = 0; count < 2; count += 1) await process.read(windowOf(ticker));
  await process.slabs.idle();
};

export const checkSame = async (process: SlabProcess, ticker: string): Promise<void> => {
  const [ours, reference] = [await process.read(windowOf(ticker)), await process.readWithout(windowOf(ticker))];
  assert.equal(ours.bytes.toString(), reference.bytes.toString());
};
