import assert from 'node:assert/strict';
import { afterEach, describe, it } from 'node:test';
import { testNumber } from './test-number.js';

const variable = 'ALMANAC_TEST_KILLS';

describe('a number of the command line of npm test', () => {
  const before = process.env[variable];
  afterEach(() => {
    if (before === undefined) delete process.env[variable];
    else process.env[variable] = before;
  });

  it('replaces the default', () => {
    delete process.env[variable];
    assert.equal(testNumber('kills', 1_000), 1_000);
    process.env[variable] = '7';
    assert.equal(testNumber('kills', 1_000), 7);
  });

  it('is refused when it is no number', () => {
    for (const text of ['', 'x', '-1', '1.5', '1e3', '1234567890']) {
      process.env[variable] = text;
      assert.throws(() => testNumber('kills', 1), /--kills must be a number of at most 9 digits/);
    }
  });
});
