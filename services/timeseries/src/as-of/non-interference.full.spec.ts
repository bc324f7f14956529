/** The property of non-interference.int.spec.ts at the size at which it notices every leak of leak-mutants.long.spec.ts. */
import { testNumber } from '@almanac/testing';
import { describeNonInterference } from './testing/non-interference-suite.js';

describeNonInterference({ seed: testNumber('seed', 17), markets: 4, times: 2 });
