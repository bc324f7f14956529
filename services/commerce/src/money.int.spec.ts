import { chargesMatchUnlocks } from './testing/money-suite.js';

chargesMatchUnlocks({ operations: 200, seed: 4 });
