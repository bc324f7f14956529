import { commandLineDriver } from './command-line-driver.js';
import { describeScenarios } from './scenarios-suite.js';

describeScenarios('command line', async () => commandLineDriver);
