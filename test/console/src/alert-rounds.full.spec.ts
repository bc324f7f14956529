// In the full run: its rounds are minutes of the page's clock, and 20 s of the gate.
import { before, describe } from 'node:test';
import { describeAlertRounds } from './alert-rounds-suite.js';
import { storeConsoleArchive } from './archive.js';
import { useConsole } from './console.js';

const shared = useConsole();

describe('the console', () => {
  before(() => storeConsoleArchive(shared()));
  describeAlertRounds(shared);
});
