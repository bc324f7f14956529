/** The property of slab-candle-edges.int.spec.ts at size. */
import { after, before, describe } from 'node:test';
import { type ComparedReads, startComparedReads } from '../slabs/testing/compared-reads.js';
import { itReadsSlabCandles } from './testing/slab-candles-suite.js';

describe('candles from slabs', () => {
  let tested: ComparedReads;
  before(async () => {
    tested = await startComparedReads();
    await tested.fixture.series({ id: 'S', shape: 'rolling' });
  });
  after(() => tested.stop());

  itReadsSlabCandles(() => tested, { seed: 20_261_124, markets: 4, reads: 50 });
});
