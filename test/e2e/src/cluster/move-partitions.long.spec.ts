import { testNumber } from '@almanac/testing';
import { moveLosesNothing } from './move-suite.js';

for (const seed of [1, 2, 3, 4, 5, 6, 7, 8, 9, 10]) moveLosesNothing({ kills: testNumber('kills', 10), seed });
