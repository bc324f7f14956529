// More kills, also of leaders, than `move-partitions.e2e.spec.ts`.
import { moveLosesNothing } from './move-suite.js';

moveLosesNothing({ kills: 5, seed: 1 });
