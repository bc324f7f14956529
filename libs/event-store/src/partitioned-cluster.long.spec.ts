import { testNumber } from '@almanac/testing';
import { partitionedClusterKeepsEveryAppend } from './testing/partitioned-cluster-suite.js';

const kills = testNumber('kills', 100);
partitionedClusterKeepsEveryAppend({ kills, cuts: Math.ceil(kills / 10) });
