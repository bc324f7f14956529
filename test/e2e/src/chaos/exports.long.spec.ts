import { exportsSurviveFaults } from './exports-suite.js';

exportsSurviveFaults({ exports: 200, seed: 2026 });
