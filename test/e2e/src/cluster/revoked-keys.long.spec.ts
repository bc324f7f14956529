import { testNumber } from '@almanac/testing';
import { clusterRefusesRevokedKeys } from './cluster-suite.js';

const kills = testNumber('kills', 100);
clusterRefusesRevokedKeys({ kills, partitions: Math.ceil(kills / 10), seed: 1, graceMs: 1_000 });
