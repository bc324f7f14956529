import { chargesSurviveFaults } from './money-suite.js';

chargesSurviveFaults({ purchases: 20, accounts: 3, seed: 4 });
