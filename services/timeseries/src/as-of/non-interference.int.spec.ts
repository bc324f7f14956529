import { testNumber } from '@almanac/testing';
import { describeNonInterference } from './testing/non-interference-suite.js';

describeNonInterference({ seed: testNumber('seed', 17), markets: 2, times: 1 });
