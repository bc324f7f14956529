import { fuzz } from './fuzz-suite.js';

fuzz({ runs: 100, seed: 20_260_224 });
