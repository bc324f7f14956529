import { bulkSurvivesKills } from './bulk-kills-suite.js';

bulkSurvivesKills({ kills: 200, seed: 18 });
