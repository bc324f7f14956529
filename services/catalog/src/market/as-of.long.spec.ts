import { testNumber } from '@almanac/testing';
import { describeNonInterference } from '../testing/non-interference-suite.js';
import { describeTwoArchives } from '../testing/two-archives-suite.js';

describeNonInterference({ seed: testNumber('seed', Date.now() % 1_000_000), events: 300, times: 8 });
describeTwoArchives({ seed: testNumber('seed', Date.now() % 1_000_000), events: 100, times: 20 });
