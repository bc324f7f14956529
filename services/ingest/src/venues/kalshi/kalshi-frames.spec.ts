import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kalshiFrames, kalshiMessages } from '@almanac/recordings';
import { kalshiFrame } from './kalshi-frames.js';
import { assertNeverThrows } from './testing/damaged-frames.js';

const read = (message: object) => kalshiFrame(7, JSON.stringify(message));

test('a snapshot, a delta and a ticker are read to their last digit', () => {
  const { snapshot, delta, ticker: top } = kalshiMessages;
  const ticker = 'RATE-27DEC-T3.00';
  assert.deepEqual(read(snapshot), {
    kind: 'snapshot',
    us: 7,
    venueUs: null,
    ticker,
    sid: 2,
    seq: 2,
    yes: [
      [70_000, 310_000_000],
      [210_000, 343_000_000],
    ],
    no: [
      [530_000, 21_000_000],
      [550_000, 147_500_000],
    ],
  });
  const venueUs = Date.UTC(2026, 10, 22, 20, 44, 1) * 1_000;
  assert.deepEqual(read(delta), {
    kind: 'change',
    us: 7,
    venueUs,
    ticker,
    sid: 2,
    seq: 3,
    side: 'yes',
    price: 950_000,
    by: -53_000_000,
  });
  assert.deepEqual(read(top), { kind: 'top', us: 7, venueUs, ticker, sid: 11, seq: null, bid: 440_000, ask: 520_000 });
});

test("the venue's answers to commands change no book, and those with a number count in their sequence", () => {
  const { subscribed, ok, unsubscribed, error } = kalshiMessages;
  assert.deepEqual(read(subscribed), { kind: 'opened', us: 7, sid: 1, seq: null });
  assert.deepEqual(read(ok), { kind: 'activity', us: 7, sid: 45, seq: 22 });
  assert.deepEqual(read(unsubscribed), { kind: 'activity', us: 7, sid: 2, seq: 7 });
  const refused = read(error);
  assert.equal(refused.kind === 'refused' && refused.reason, 'the venue reports an error');
});

test('a side that the venue omits is empty, and a market object describes its market', () => {
  const msg = { market_ticker: 'A-1', market_id: 'x' };
  const empty = kalshiFrame(7, JSON.stringify({ type: 'orderbook_snapshot', sid: 1, seq: 1, msg }));
  assert.deepEqual(empty.kind === 'snapshot' && [empty.yes, empty.no], [[], []]);
  const market = { ticker: 'A-1', event_ticker: 'A', close_time: '2026-05-14T13:15:00Z', status: 'active' };
  const fact = kalshiFrame(7, JSON.stringify(market));
  assert.equal(fact.kind === 'market' && fact.fact.kind === 'market' && fact.fact.close_us, 1_778_764_500_000_000);
});

test('no frame that is cut anywhere, or has a character changed, makes the parser throw', () => {
  const { text } = kalshiFrames({ seed: 1, markets: 4, changes: 6, levels: 12, startS: 1_776_490_453 });
  assertNeverThrows(text.split('\n'));
});
