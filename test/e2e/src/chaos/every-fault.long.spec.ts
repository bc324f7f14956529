import { everythingSurvivesFaults } from './every-fault-suite.js';

everythingSurvivesFaults({ kills: 1_000, freezes: 300, seed: Date.now() % 999_999_999 });
