import { describe } from 'node:test';
import { bothWays } from '../testing/both-ways-suite.js';

describe('an import by column and one by row', { timeout: 600_000 }, () => {
  bothWays('quotes', 40);
  bothWays('trades', 40);
});
