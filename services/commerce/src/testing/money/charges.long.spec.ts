import { chargesMatchUnlocks } from '../money-suite.js';

const seed = Date.now() % 0x7f_ff_ff_ff;
for (let run = 0; run < 10; run += 1) chargesMatchUnlocks({ operations: 200, seed: seed + run });
