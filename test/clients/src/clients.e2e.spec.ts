import { useClientsSystem } from './clients-system.js';
import { describeCommandLine } from './command-line-suite.js';
import { commandLineDriver } from './command-line-driver.js';
import { describeExamples } from './examples/programs-suite.js';
import { describeMcp } from './mcp/mcp-suite.js';
import { startPythonDriver } from './python/driver.js';
import { describePytest } from './python/pytest-suite.js';
import { describeScenarios } from './scenarios-suite.js';
import { typescriptDriver } from './typescript-driver.js';

// A system takes longer to start than each of these parts, so they share one.
const clients = useClientsSystem();

describeScenarios('TypeScript', async () => typescriptDriver, clients);
describeScenarios('command line', async () => commandLineDriver, clients);
describeScenarios('Python', startPythonDriver, clients);
describeCommandLine(clients);
describePytest('the Python client', ['--ignore=tests/_sync'], clients);
describeMcp(clients);
describeExamples(clients);
