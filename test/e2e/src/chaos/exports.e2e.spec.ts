import { exportsSurviveFaults } from './exports-suite.js';

exportsSurviveFaults({ exports: 20, seed: 11 });
