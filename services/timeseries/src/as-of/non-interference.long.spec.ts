import { testNumber } from '@almanac/testing';
import { describeNonInterference } from './testing/non-interference-suite.js';

describeNonInterference({ seed: testNumber('seed', Date.now() % 1_000_000), markets: 150, times: 8 });
