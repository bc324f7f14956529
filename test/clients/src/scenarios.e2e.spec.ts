import { describeScenarios } from './scenarios-suite.js';
import { typescriptDriver } from './typescript-driver.js';

describeScenarios('TypeScript', async () => typescriptDriver);
