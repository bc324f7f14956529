// In the full run: it counts the requests of a minute, to which a busy machine adds those of the screen before.
import { before, describe } from 'node:test';
import { describeAlertRounds } from './alert-rounds-suite.js';
import { storeConsoleArchive } from './archive.js';
import { useConsole } from './console.js';

const shared = useConsole();

describe('the console', () => {
  before(() => storeConsoleArchive(shared()));
  describeAlertRounds(shared);
});
