import { testNumber } from '@almanac/testing';
import { clusterKeepsEveryAppend } from './testing/nats-cluster-suite.js';

clusterKeepsEveryAppend({ kills: testNumber('kills', 100), partitions: 10 });
