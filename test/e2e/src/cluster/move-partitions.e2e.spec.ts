import { moveLosesNothing } from './move-suite.js';

moveLosesNothing({ kills: 5, seed: 1 });
