import assert from 'node:assert/strict';
import { it } from 'node:test';
import { recording } from './recording.js';

it('a test whose recording is not beside the checkout is skipped, and the reason names the recording', () => {
  assert.equal(recording('data/no-such-recording').skip, '../shared/data/no-such-recording is not beside the checkout');
});
