import { describeFiles } from './describe-files.js';
import { startGeneratedHarness } from './generated-harness.js';
import { allCases } from './matrix.js';

describeFiles('any file has the rows, values and types of the API', { open: startGeneratedHarness, cases: allCases });
