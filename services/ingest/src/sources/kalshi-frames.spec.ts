import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { sharedData } from '@almanac/testing';
import { parse } from 'yaml';
import { z } from 'zod';
import { kalshiFrame } from './kalshi-frames.js';

const schema = sharedData('../specs/kalshi.asyncapi.yaml');
const frames = sharedData('kalshi-l2/ws_frames.jsonl');
const skip = schema === undefined || frames === undefined ? '../shared is not on this machine' : false;

const document = z.object({
  components: z.object({
    messages: z.record(z.string(), z.object({ examples: z.array(z.object({ payload: z.unknown() })).default([]) })),
  }),
});

const examplesOf = (message: string): readonly unknown[] => {
  const { messages } = document.parse(parse(readFileSync(schema ?? '', 'utf8'))).components;
  return (messages[message]?.examples ?? assert.fail(message)).map(({ payload }) => payload);
};
const read = (message: string) => examplesOf(message).map((payload) => kalshiFrame(7, JSON.stringify(payload)));

test("the venue's own examples of a snapshot, a delta and a ticker are read to their last digit", { skip }, () => {
  const ticker = 'FED-23DEC-T3.00';
  assert.deepEqual(read('orderbookSnapshot')[0], {
    kind: 'snapshot',
    us: 7,
    venueUs: null,
    ticker,
    sid: 2,
    seq: 2,
    yes: [
      [80_000, 300_000_000],
      [220_000, 333_000_000],
    ],
    no: [
      [540_000, 20_000_000],
      [560_000, 146_000_000],
    ],
  });
  const venueUs = Date.UTC(2022, 10, 22, 20, 44, 1) * 1_000;
  assert.deepEqual(read('orderbookDelta')[0], {
    kind: 'change',
    us: 7,
    venueUs,
    ticker,
    sid: 2,
    seq: 3,
    side: 'yes',
    price: 960_000,
    by: -54_000_000,
  });
  assert.deepEqual(read('ticker')[0], {
    kind: 'top',
    us: 7,
    venueUs,
    ticker,
    sid: 11,
    seq: null,
    bid: 450_000,
    ask: 530_000,
  });
});

test(
  "the venue's answers to commands change no book, and those with a number count in their sequence",
  { skip },
  () => {
    assert.deepEqual(read('subscribedResponse'), [{ kind: 'opened', us: 7, sid: 1, seq: null }]);
    assert.deepEqual(read('okResponse')[0], { kind: 'heard', us: 7, sid: 456, seq: 222 });
    assert.deepEqual(read('unsubscribedResponse')[0], { kind: 'heard', us: 7, sid: 2, seq: 7 });
    for (const answer of read('errorResponse'))
      assert.deepEqual(
        [answer.kind, answer.kind === 'refused' && answer.reason],
        ['refused', 'the venue reports an error'],
      );
  },
);

test('a side that the venue leaves out is empty, and a market object tells of its market', () => {
  const msg = { market_ticker: 'A-1', market_id: 'x' };
  const empty = kalshiFrame(7, JSON.stringify({ type: 'orderbook_snapshot', sid: 1, seq: 1, msg }));
  assert.deepEqual(empty.kind === 'snapshot' && [empty.yes, empty.no], [[], []]);
  const market = { ticker: 'A-1', event_ticker: 'A', close_time: '2026-05-14T13:15:00Z', status: 'active' };
  const told = kalshiFrame(7, JSON.stringify(market));
  assert.equal(told.kind === 'market' && told.fact.kind === 'market' && told.fact.close_us, 1_778_764_500_000_000);
});

test('no frame that is cut anywhere, or has a character changed, makes the parser throw', { skip }, () => {
  const lines = readFileSync(frames ?? '', 'utf8')
    .split('\n')
    .slice(0, 14);
  for (const line of lines.filter((one) => one !== '')) {
    const { raw } = z.object({ raw: z.string() }).parse(JSON.parse(line));
    const whole = raw.trimEnd();
    for (let at = 0; at < whole.length; at += 1) {
      assert.equal(kalshiFrame(7, whole.slice(0, at)).kind, 'refused');
      const changed = kalshiFrame(7, `${whole.slice(0, at)}-${whole.slice(at + 1)}`);
      assert.ok(changed.kind !== 'lost');
    }
  }
});
