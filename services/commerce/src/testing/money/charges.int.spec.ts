import { chargesMatchUnlocks } from '../money-suite.js';

chargesMatchUnlocks({ operations: 100, seed: 4 });
