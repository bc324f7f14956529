import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { senderClocks } from './sender-clocks.js';

describe('the time of a heartbeat', () => {
  /** The sender's clock is a million milliseconds ahead. */
  const ahead = 1_000_000;
  const heartbeat = (sentAt: number, ageMs = 0, sender = 'one') => ({
    clock: { sender, sent_ms: sentAt + ahead, age_ms: ageMs },
  });
  /** Knows a sender whose heartbeats take 2 ms. */
  const settled = (upTo = 2_000) => {
    const clocks = senderClocks();
    for (let at = 0; at <= upTo; at += 250) clocks.timeOf(heartbeat(at), at + 2);
    return clocks;
  };

  it('is when its content was read, on the clock of the receiver', () => {
    assert.equal(settled().timeOf(heartbeat(2_250, 40), 2_252), 2_252 - 40);
  });

  it('is not moved by a late delivery', () => {
    const clocks = settled();
    // A frozen server held back three of them.
    for (const sentAt of [2_250, 2_500, 2_750]) assert.equal(clocks.timeOf(heartbeat(sentAt), 12_000), sentAt + 2);
  });

  it('is not known for a sender that was silent for a second, whose first ones may be late', () => {
    const clocks = settled();
    assert.equal(clocks.timeOf(heartbeat(2_000, 0, 'another'), 12_000), undefined);
    assert.equal(clocks.timeOf(heartbeat(12_500, 0, 'another'), 12_502), undefined);
    assert.equal(clocks.timeOf(heartbeat(13_000, 0, 'another'), 13_002), 13_002);
  });

  it('is not known of a release that sends none', () => {
    assert.equal(settled().timeOf({}, 3_000), undefined);
  });

  it('follows a sender whose clock stood still, after a minute at most', () => {
    const clocks = settled();
    const stoodMs = 5_000;
    let time: number | undefined;
    for (let at = 10_000; at <= 75_000; at += 250) time = clocks.timeOf(heartbeat(at - stoodMs), at);
    assert.equal(time, 75_000);
  });
});
