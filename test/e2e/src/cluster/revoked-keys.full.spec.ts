// Three nats-servers and seven services for minutes. `services/gateway/src/auth/revocation.int.spec.ts` freezes one node.
import { clusterRefusesRevokedKeys } from './cluster-suite.js';

clusterRefusesRevokedKeys({ kills: 4, partitions: 2, seed: 1, graceMs: 10_000 });
