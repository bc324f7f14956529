// Of the full run: it takes minutes. nats-cluster.int.spec.ts does the same without partitions, with one kill.
import { partitionedClusterKeepsEveryAppend } from './testing/partitioned-cluster-suite.js';

partitionedClusterKeepsEveryAppend({ kills: 4, cuts: 1 });
