import { everythingSurvivesFaults } from './every-fault-suite.js';

everythingSurvivesFaults({ kills: 0, freezes: 0, rolling: 1_000, seed: Date.now() % 999_999_999 });
