import { exportsSurvive } from './exports-suite.js';

exportsSurvive({ exports: 200, seed: 2026 });
