import { describeSlabCandles } from './testing/slab-candles-suite.js';

describeSlabCandles({ seed: 20_261_124, markets: 4, reads: 50 });
