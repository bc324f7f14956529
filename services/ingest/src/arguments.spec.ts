import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseArguments } from './arguments.js';

test('invalid arguments are refused in one sentence with the usage', () => {
  const refusals: readonly (readonly [given: string[], sentence: RegExp])[] = [
    [['--wrong'], /^Unknown option '--wrong'[^]*Usage: npm run import/],
    [[], /^Name at least one file or folder\.[^]*Usage/],
    [['x', '--sample', '0s'], /^--sample must be every-change or an interval from 1ms to 1h, not 0s\.[^]*Usage/],
  ];
  for (const [given, message] of refusals) assert.throws(() => parseArguments(given, '/'), { message });
});
