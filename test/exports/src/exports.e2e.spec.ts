import { describeFiles } from './describe-files.js';
import { openMadeStand } from './made.js';
import { sampleCases } from './matrix.js';

describeFiles('a file has the rows, values and types of the API', { open: openMadeStand, cases: sampleCases });
