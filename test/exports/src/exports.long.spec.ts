import { describeFiles } from './describe-files.js';
import { openMadeStand } from './made.js';
import { allCases } from './matrix.js';

describeFiles('any file has the rows, values and types of the API', { open: openMadeStand, cases: allCases });
