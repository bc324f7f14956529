import { clusterKeepsEveryAppend } from './testing/nats-cluster-suite.js';

clusterKeepsEveryAppend({ kills: 12, partitions: 2 });
