import { describe } from 'node:test';
import { bothWays } from '../testing/both-ways-suite.js';

describe('an import of books by column and one by row', { timeout: 600_000 }, () => {
  bothWays('hours of books', 16);
  bothWays('frames of books', 16);
});
