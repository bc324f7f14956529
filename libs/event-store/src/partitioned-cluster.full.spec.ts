import { partitionedClusterKeepsEveryAppend } from './testing/partitioned-cluster-suite.js';

partitionedClusterKeepsEveryAppend({ kills: 4, cuts: 1 });
