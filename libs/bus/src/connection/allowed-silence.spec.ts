import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowedSilence } from './leave-cut-off-server.js';

describe('the time without a heartbeat after which a server is left', () => {
  it('is short at each server that is tried for the first time, and then longer and longer', () => {
    const silence = allowedSilence(1_750);
    const waits = [silence.ms];
    for (const server of ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a']) {
      silence.left(server);
      waits.push(silence.ms);
    }
    assert.deepEqual(waits, [1_750, 1_000, 1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('is the usual one again after a heartbeat', () => {
    const silence = allowedSilence(1_750);
    for (const server of ['a', 'b', 'a', 'b']) silence.left(server);
    silence.received();
    assert.equal(silence.ms, 1_750);
    silence.left('a');
    assert.equal(silence.ms, 1_000);
  });
});
