// Of the full run: it takes minutes, with more kills than nats-cluster.int.spec.ts, and leaders that are cut off.
import { clusterKeepsEveryAppend } from './testing/nats-cluster-suite.js';

clusterKeepsEveryAppend({ kills: 6, partitions: 2 });
