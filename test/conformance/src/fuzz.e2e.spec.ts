import { fuzz } from './fuzz-suite.js';

fuzz({ inputs: 3_000, seed: 20_260_224 });
