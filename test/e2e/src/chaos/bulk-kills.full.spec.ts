// Kills for minutes, at random. staging-tables.int.spec.ts stops a publisher at each of its steps.
import { bulkSurvivesKills } from './bulk-kills-suite.js';

bulkSurvivesKills({ kills: 25, seed: 17 });
