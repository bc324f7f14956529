// Kills and freezes for minutes, at random. `services/commerce` tests payments under faults in one process.
import { chargesSurviveFaults } from './money-suite.js';

chargesSurviveFaults({ purchases: 20, accounts: 3, seed: 4 });
