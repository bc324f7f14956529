import { exportsSurvive } from './exports-suite.js';

exportsSurvive({ exports: 20, seed: 11 });
