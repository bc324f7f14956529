import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { recording } from '@almanac/testing';
import { parse } from 'yaml';
import { z } from 'zod';
import { kalshiFrame } from './kalshi-frames.js';
import { assertNeverThrows } from './testing/damaged-frames.js';

const schema = recording('specs/kalshi.asyncapi.yaml');
const frames = recording('data/kalshi-l2/ws_frames.jsonl');
const { skip } = schema;

const document = z.object({
  components: z.object({
    messages: z.record(z.string(), z.object({ examples: z.array(z.object({ payload: z.unknown() })).default([]) })),
  }),
});

const examplesOf = (message: string): readonly unknown[] => {
  const { messages } = document.parse(parse(readFileSync(schema.path, 'utf8'))).components;
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
    assert.deepEqual(read('okResponse')[0], { kind: 'activity', us: 7, sid: 456, seq: 222 });
    assert.deepEqual(read('unsubscribedResponse')[0], { kind: 'activity', us: 7, sid: 2, seq: 7 });
    for (const answer of read('errorResponse'))
      assert.deepEqual(
        [answer.kind, answer.kind === 'refused' && answer.reason],
        ['refused', 'the venue reports an error'],
      );
  },
);

test(
  'no real frame that is cut anywhere, or has a character changed, makes the parser throw',
  { skip: frames.skip },
  () => {
    assertNeverThrows(readFileSync(frames.path, 'utf8').split('\n').slice(0, 14));
  },
);
