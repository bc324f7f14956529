import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { allowedSilence } from './leave-cut-off-server.js';

const most = { leastMs: 550, mostMs: 1_750, times: 2 };

describe('the time without a heartbeat after which a server is left', () => {
  it('is short at each server that is tried for the first time, and then longer and longer', () => {
    const silence = allowedSilence(most);
    const waits = [silence.ms];
    for (const server of ['a', 'b', 'c', 'a', 'b', 'c', 'a', 'b', 'c', 'a']) {
      silence.left(server);
      waits.push(silence.ms);
    }
    assert.deepEqual(waits, [1_750, 1_000, 1_000, 1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  });

  it('is the usual one again after heartbeats for five seconds', () => {
    const silence = allowedSilence(most);
    for (const server of ['a', 'b', 'a', 'b']) silence.left(server);
    for (let ms = 0; ms <= 5_200; ms += 400) silence.received(ms);
    assert.ok(silence.ms < 2_000);
    silence.left('a');
    assert.equal(silence.ms, 1_000);
  });

  it('grows although single heartbeats arrive, so that slow servers do not make a process move for ever', () => {
    const silence = allowedSilence({ ...most, mostMs: 1_000 });
    let [nowMs, moves] = [0, 0];
    // Each server lets one heartbeat through, and then none for two seconds.
    for (; nowMs < 60_000; nowMs += 2_000) {
      silence.received(nowMs);
      if (silence.ms > 2_000) continue;
      silence.left(['a', 'b', 'c'][moves % 3] ?? '');
      moves += 1;
    }
    assert.equal(moves, 5);
  });

  it('is the usual one at a new server once a heartbeat arrived', () => {
    const silence = allowedSilence(most);
    silence.left('a');
    silence.received(0);
    assert.equal(silence.ms, 1_750);
  });

  it('follows the usual time between heartbeats, without two accidents', () => {
    const silence = allowedSilence(most);
    let nowMs = 0;
    const receive = (times: number, pauseMs: number): number => {
      for (let n = 0; n < times; n += 1) silence.received((nowMs += pauseMs));
      return silence.ms;
    };
    assert.equal(receive(8, 100), 1_750, 'little is known');
    assert.equal(receive(20, 100), 550, 'a quiet machine');
    assert.equal(receive(2, 900), 550, 'two accidents');
    assert.equal(receive(3, 400), 800, 'a busy machine');
    assert.equal(receive(10, 900), 1_750, 'a busier one');
    assert.equal(receive(100, 100), 550, 'a quiet one again');
  });
});
