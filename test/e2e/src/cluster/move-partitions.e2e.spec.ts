import { moveLosesNothing } from './move-suite.js';

moveLosesNothing({ kills: 1, seed: 1 });
