import { everythingSurvivesFaults } from './every-fault-suite.js';

everythingSurvivesFaults({ kills: 500, freezes: 150, seed: Date.now() % 999_999_999, onCluster: true });
