import assert from 'node:assert/strict';
import { it } from 'node:test';
import { leaderWait } from './leader-wait.js';

it('waits less for a leader that was silent, until it answers again', () => {
  const wait = leaderWait();
  const usualMs = wait.ms;
  wait.wasSilent();
  const silentMs = wait.ms;
  assert.ok(silentMs < usualMs);
  wait.wasSilent();
  assert.equal(wait.ms, silentMs);
  wait.answered();
  assert.equal(wait.ms, usualMs);
});
