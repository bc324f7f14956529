import { chargesSurviveFaults } from './money-suite.js';

chargesSurviveFaults({ purchases: 300, accounts: 12, seed: Date.now() % 0x7f_ff_ff_ff });
