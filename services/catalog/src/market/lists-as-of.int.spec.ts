import { testNumber } from '@almanac/testing';
import { describeTwoArchives } from '../testing/two-archives-suite.js';

describeTwoArchives({ seed: testNumber('seed', 80), events: 6, times: 1 });
