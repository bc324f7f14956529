import { clusterKeepsEveryAppend } from './testing/nats-cluster-suite.js';

clusterKeepsEveryAppend({ kills: 6, partitions: 2 });
