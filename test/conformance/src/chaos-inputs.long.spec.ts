import { fuzz } from './fuzz-suite.js';

fuzz({ inputs: 1_000_000, seed: Date.now() % 999_999_999 });
