// Kills for minutes, at random. `faults/faults.e2e.spec.ts` kills each process once.
import { exportsSurviveFaults } from './exports-suite.js';

exportsSurviveFaults({ exports: 20, seed: 11 });
