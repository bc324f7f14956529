import { fuzz } from './fuzz-suite.js';

fuzz({ runs: 1_000, seed: Date.now() % 0x7f_ff_ff_ff });
