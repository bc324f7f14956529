import { describe, it } from 'node:test';
import { assertNoticed, type Mutant } from '@almanac/testing';

const proof = new URL('slab-candle-edges.int.spec.js', import.meta.url);

/** Each takes a shortcut that a candle would show. */
const mutants: Readonly<Record<string, Mutant>> = {
  'a period has the row at its end': {
    file: '/candles/period-values.js',
    from: 'us >= endUs',
    to: 'us > endUs',
  },
  'a slab is of any version': { file: '/slabs/make-slabs.js', from: 'version: market.version', to: 'version: 1' },
  'values are carried over a gap': {
    file: '/candles/candle-cells.js',
    from: 'lostUs > last.us ? null : last',
    to: 'last',
  },
  'a gap counts beyond the window': {
    file: '/candles/candle-cells.js',
    from: 'Math.min(gapEndUs, endUs)',
    to: 'gapEndUs',
  },
  'a middle has the digits of a price': {
    file: '/candles/period-values.js',
    from: 'bidUnits + askUnits',
    to: '2 * Math.round((bidUnits + askUnits) / 2)',
  },
  'a missing price is a number': {
    file: '/candles/period-values.js',
    from: 'units === undefined || units === noPrice',
    to: 'units === undefined',
  },
  'candles go on after the end of trading': {
    file: '/candles/candles.query.js',
    from: 'Math.min(params.end_us, params.until_us[at] ?? neverUs)',
    to: 'params.end_us',
  },
  'trades are left out': { file: '/candles/candles.query.js', from: 'traded.length > 0 || form', to: 'form' },
  'the row before the window is lost': {
    file: '/slabs/slab-values.js',
    from: 'countBelow(us.length, usAt, startUs) - 1',
    to: 'countBelow(us.length, usAt, startUs)',
  },
  'the row before the window is not looked for in earlier slabs': {
    file: '/candles/slab-candles.js',
    from: 'firstUs >= Math.min(coveredFromUs, grid.untilUs)',
    to: 'true',
  },
  'a coin price is rounded to a number': {
    file: '/slabs/write-slab.js',
    from: 'Number.isSafeInteger(coin)',
    to: 'true',
  },
};

describe('the proof that candles from slabs are those of ClickHouse', () => {
  for (const [what, mutant] of Object.entries(mutants)) {
    it(`fails if ${what}`, async () => {
      await assertNoticed(proof, mutant, /AssertionError[^]*(?:other bytes|another head)/);
    });
  }
});
