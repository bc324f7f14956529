import { startPythonDriver } from './python-driver.js';
import { describeScenarios } from './scenarios-suite.js';

describeScenarios('Python', startPythonDriver);
