import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyChangeUs } from '@almanac/contracts';
import { one } from '../values/millionths.js';
import type { BookMessage } from '../model/feed-message.js';
import { everySequence } from './sequence-rules.js';
import { change, gapsOf, snapshot, timesOf } from './testing/book-messages.js';
import { rebuilt } from './testing/rebuild-books.js';

const shared = { sequences: everySequence('shared'), silenceUs: 1_000 };
const basesOf = ({ spans }: ReturnType<typeof rebuilt>) =>
  Array.from(spans.values(), ({ startUs, endUs, basis }) => [startUs, endUs, basis]);

test('with shared numbers a jump is no loss, and the span says that only a silence would show one', () => {
  const messages = [snapshot([100, 101]), change([200, 107], 'yes', [46, 3]), change([300, 110], 'yes', [46, 3])];
  const result = rebuilt(messages, everyChangeUs, shared);
  assert.deepEqual([gapsOf(result), timesOf(result), basesOf(result)], [[], [100, 200, 300], [[100, 300, 'silence']]]);
  const numbered = rebuilt([snapshot([100, 1]), change([200, 2], 'yes', [46, 3])]);
  assert.deepEqual(basesOf(numbered), [[100, 200, 'sequence']]);
});

test('with shared numbers a later whole book confirms the rebuilt one, or shows a loss', () => {
  const equal = rebuilt(
    [snapshot([100, 1]), snapshot([200, 9]), change([300, 12], 'yes', [45, 1])],
    everyChangeUs,
    shared,
  );
  assert.deepEqual([gapsOf(equal), basesOf(equal)], [[], [[100, 300, 'snapshot']]]);
  const other = rebuilt(
    [snapshot([100, 1]), change([200, 5], 'yes', [45, 1]), snapshot([300, 9])],
    everyChangeUs,
    shared,
  );
  assert.deepEqual(gapsOf(other), [['A-1', 200, 300, 'the next whole book differs from the rebuilt one']]);
});

test('with shared numbers a number that falls is a new subscription, and after a silence the books go on with basis unknown', () => {
  const fallen = rebuilt(
    [snapshot([100, 50]), change([200, 55], 'yes', [45, 1]), change([300, 7], 'yes', [45, 1])],
    everyChangeUs,
    shared,
  );
  assert.deepEqual(gapsOf(fallen), [['A-1', 200, null, 'the subscription began anew']]);
  const silent = rebuilt(
    [snapshot([100, 50]), change([200, 55], 'yes', [45, 1]), change([5_000, 60], 'yes', [45, 1])],
    everyChangeUs,
    shared,
  );
  assert.deepEqual(gapsOf(silent), [['A-1', 200, 5_000, 'the recording was silent, so a loss cannot be excluded']]);
  assert.deepEqual(
    [timesOf(silent), basesOf(silent)],
    [
      [100, 200, 5_000],
      [
        [100, 200, 'silence'],
        [5_000, 5_000, 'unknown'],
      ],
    ],
  );
});

test('numbers of each market, and numbers that mean nothing', () => {
  const own = [
    snapshot([100, 1]),
    snapshot([110, 1], 'B-1'),
    change([200, 2], 'yes', [45, 1]),
    change([210, 3], 'yes', [45, 1], 'B-1'),
  ];
  const market = rebuilt(own, everyChangeUs, { sequences: everySequence('market') });
  assert.deepEqual(gapsOf(market), [['B-1', 110, null, 'messages are missing in the sequence']]);
  const none = rebuilt(own, everyChangeUs, { sequences: everySequence('none') });
  assert.deepEqual([gapsOf(none), timesOf(none)], [[], [100, 110, 200, 210]]);
});

test('best prices of the venue that contradict the book end its span before the change that states them', () => {
  const level = (us: number, price: number, size: number): BookMessage => ({
    kind: 'level',
    us,
    venueUs: us,
    ticker: 'A-1',
    sid: null,
    seq: null,
    side: 'yes',
    price: price * 10_000,
    size: size * one,
  });
  const top = (us: number, bid: number): BookMessage => ({
    kind: 'top',
    us,
    venueUs: us,
    ticker: 'A-1',
    sid: null,
    seq: null,
    bid: bid * 10_000,
    ask: null,
    checks: 'bid',
  });
  const begin = { ...snapshot([100, 1]), sid: null, seq: null };
  const fine = [begin, level(200, 46, 3), top(200, 46)];
  assert.deepEqual(gapsOf(rebuilt([...fine, level(300, 45, 1)])), []);
  const reason = 'the venue states another best bid or ask';
  const wrong = rebuilt([...fine, level(300, 44, 3), top(300, 47), level(400, 43, 3), { ...begin, us: 500 }]);
  assert.deepEqual([gapsOf(wrong), timesOf(wrong)], [[['A-1', 200, 500, reason]], [100, 200, 500]]);
  // The claim of the last message counts, too. Changes of one time of the venue belong together.
  assert.deepEqual(gapsOf(rebuilt([...fine, level(300, 44, 3), top(300, 47)])), [['A-1', 200, null, reason]]);
  assert.deepEqual(gapsOf(rebuilt([...fine, level(300, 44, 3), top(300, 47), level(300, 47, 1), top(300, 47)])), []);
});
