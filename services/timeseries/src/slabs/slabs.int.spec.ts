import { describeSlabs } from './testing/slabs-suite.js';

describeSlabs({ seed: 20_261_123, markets: 4, reads: 60 });
