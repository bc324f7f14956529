import { clusterKeepsEveryAppend } from './testing/nats-cluster-suite.js';

clusterKeepsEveryAppend({ kills: 1, partitions: 0 });
