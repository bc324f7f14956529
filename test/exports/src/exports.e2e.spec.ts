import { describeFiles } from './describe-files.js';
import { startGeneratedHarness } from './generated-harness.js';
import { sampleCases } from './matrix.js';

describeFiles('a file has the rows, values and types of the API', { open: startGeneratedHarness, cases: sampleCases });
