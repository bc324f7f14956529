// Refusals and recovery for longer than in `test/e2e/src/faults/faults.e2e.spec.ts`.
import { fullStoreSuite } from './testing/full-store-suite.js';

fullStoreSuite();
