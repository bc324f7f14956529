// In the full run: it imports 400 generated files twice, which takes minutes. both-ways.int.spec.ts has the small version.
import { describe } from 'node:test';
import { bothWays } from '../testing/both-ways-suite.js';

describe('an import by column and one by row', { timeout: 3_600_000 }, () => {
  bothWays('quotes', 400);
  bothWays('trades', 400);
  bothWays('hours of books', 200);
  bothWays('frames of books', 200);
});
