import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { BookMessage } from '../model/feed-message.js';
import { change, gapsOf, snapshot, timesOf } from './testing/book-messages.js';
import { rebuilt } from './testing/rebuild-books.js';

test('a row is the state after the last message of its microsecond: books best first, the ask from the NO bids', () => {
  const { rows, changes } = rebuilt([
    snapshot([100, 1]),
    change([200, 2], 'yes', [46, 3]),
    change([200, 3], 'yes', [45, -5]),
    change([300, 4], 'no', [50, -7]),
  ]);
  assert.equal(changes, 3);
  const coin = { coinPrice: null, coinAgeUs: null };
  assert.deepEqual(rows, [
    {
      ticker: 'A-1',
      us: 100,
      venueUs: 95,
      seq: 1,
      bid: '0.45',
      ask: '0.5',
      ...coin,
      yes: '[(0.45,5),(0.4,10)]',
      no: '[(0.5,7)]',
    },
    {
      ticker: 'A-1',
      us: 200,
      venueUs: 195,
      seq: 3,
      bid: '0.46',
      ask: '0.5',
      ...coin,
      yes: '[(0.46,3),(0.4,10)]',
      no: '[(0.5,7)]',
    },
    {
      ticker: 'A-1',
      us: 300,
      venueUs: 295,
      seq: 4,
      bid: '0.46',
      ask: null,
      ...coin,
      yes: '[(0.46,3),(0.4,10)]',
      no: '[]',
    },
  ]);
});

test('a sample is the last state of its interval at its own time, and an interval without a message has none', () => {
  const messages = [
    snapshot([1_000_100, 1]),
    change([1_400_000, 2], 'yes', [46, 3]),
    change([1_999_999, 3], 'yes', [47, 3]),
    change([2_000_000, 4], 'yes', [48, 3]),
    change([5_500_000, 5], 'yes', [49, 3]),
  ];
  const sampled = rebuilt(messages, 1_000_000);
  assert.deepEqual(timesOf(sampled), [1_999_999, 2_000_000]);
  assert.deepEqual(
    sampled.rows.map(({ bid }) => bid),
    ['0.47', '0.48'],
  );
  // The last interval was not over, so nobody knows its last state. The span ends before it.
  assert.deepEqual(
    Array.from(sampled.spans.values(), ({ startUs, endUs }) => [startUs, endUs]),
    [[1_000_100, 4_999_999]],
  );
});

test('a jump in the sequence leaves every market of the subscription uncertain until its own next snapshot', () => {
  const result = rebuilt([
    snapshot([100, 1]),
    snapshot([110, 2], 'B-1'),
    change([200, 3], 'yes', [46, 3]),
    change([300, 5], 'yes', [47, 3]),
    change([310, 6], 'yes', [48, 3], 'B-1'),
    snapshot([400, 7], 'B-1'),
    change([410, 8], 'yes', [46, 1], 'B-1'),
    change([420, 9], 'yes', [46, 1]),
  ]);
  const reason = 'messages are missing in the sequence';
  assert.deepEqual(gapsOf(result), [
    ['A-1', 200, null, reason],
    ['B-1', 200, 400, reason],
  ]);
  assert.deepEqual(timesOf(result), [100, 200, 110, 400, 410]);
});

test('a level below zero begins a gap at the last certain state', () => {
  const result = rebuilt([
    snapshot([100, 1]),
    change([200, 2], 'yes', [45, 1]),
    change([300, 3], 'no', [50, -8]),
    snapshot([400, 4]),
  ]);
  assert.deepEqual(gapsOf(result), [['A-1', 200, 400, 'the size of a level would be negative']]);
  assert.deepEqual(timesOf(result), [100, 200, 400]);
  assert.deepEqual([...result.refused], [['the size of a level would be negative', 1]]);
});

test('a change before the snapshot of its market is a gap up to that snapshot, and nothing without one', () => {
  const result = rebuilt([
    change([100, 1], 'yes', [45, 1]),
    change([150, 2], 'yes', [45, 1], 'B-1'),
    snapshot([200, 3]),
  ]);
  assert.deepEqual(gapsOf(result), [['A-1', 100, 200, 'the change comes before the snapshot of its market']]);
  assert.deepEqual(timesOf(result), [200]);
  assert.deepEqual([...result.refused], [['the change comes before the snapshot of its market', 2]]);
});

test('a lost connection is a gap from the last numbered message on, and sequences start anew after it', () => {
  const result = rebuilt([
    snapshot([100, 1]),
    { kind: 'activity', us: 250, sid: null, seq: null },
    { kind: 'lost', us: 300, ticker: null, sid: null, reason: 'the connection was lost' },
    snapshot([400, 1]),
    change([500, 2], 'yes', [46, 1]),
  ]);
  assert.deepEqual(gapsOf(result), [['A-1', 100, 400, 'the connection was lost']]);
  assert.deepEqual(timesOf(result), [100, 400, 500]);
});

test('messages missing after the close of a market do not count as a gap', () => {
  const result = rebuilt([
    { kind: 'market', us: 50, fact: { kind: 'market', ticker: 'A-1', close_us: 250 } },
    snapshot([100, 1]),
    change([250, 2], 'yes', [46, 1]),
    { kind: 'lost', us: 300, ticker: 'A-1', sid: null, reason: 'the connection was lost' },
  ]);
  assert.deepEqual(gapsOf(result), [['A-1', 250, null, 'the connection was lost']]);
  assert.equal(result.gapCount, 0);
  assert.deepEqual(timesOf(result), [100, 250]);
});

test('a repeated message changes nothing, and a clock that steps back by more than a minute is a gap of its market alone', () => {
  const stepUs = 70_000_000;
  const result = rebuilt([
    snapshot([stepUs + 100, 1]),
    snapshot([stepUs + 110, 2], 'B-1'),
    change([stepUs + 200, 3], 'yes', [46, 1]),
    { ...change([stepUs + 200, 3], 'yes', [46, 1]), us: stepUs + 210 },
    change([150, 4], 'yes', [46, 1]),
    change([stepUs + 220, 5], 'yes', [46, 1], 'B-1'),
    snapshot([stepUs + 300, 6]),
  ]);
  assert.deepEqual(gapsOf(result), [
    ['A-1', stepUs + 200, stepUs + 300, 'the time is earlier than that of the previous message'],
  ]);
  assert.deepEqual(
    [...result.refused],
    [
      ['repeated message', 1],
      ['the time is earlier than that of the previous message', 1],
    ],
  );
  const rowsOf = (tickerFilter: string) =>
    result.rows.flatMap(({ ticker, us }) => (ticker === tickerFilter ? [us - stepUs] : []));
  assert.deepEqual(
    [rowsOf('A-1'), rowsOf('B-1')],
    [
      [100, 200, 300],
      [110, 220],
    ],
  );
});

test('a sequence that begins again shows that the start of a new subscription is missing', () => {
  const result = rebuilt([
    snapshot([100, 1]),
    change([200, 2], 'yes', [46, 1]),
    change([300, 3], 'yes', [46, 1]),
    // The connection, its first snapshot and two changes are missing.
    change([900, 2], 'yes', [46, 1]),
    change([950, 3], 'yes', [46, 1]),
    change([960, 4], 'yes', [46, 1]),
    snapshot([1_000, 5]),
  ]);
  assert.deepEqual(gapsOf(result), [['A-1', 300, 1_000, 'the subscription began anew']]);
  assert.deepEqual(timesOf(result), [100, 200, 300, 1_000]);
});

test('a refused message with a ticker is a gap of that market, one with only a sequence is a gap of its subscription', () => {
  const refused = (known: { ticker: string | null; seq: number }): BookMessage => ({
    kind: 'refused',
    us: 200,
    sid: 1,
    reason: 'not a price',
    text: '',
    ...known,
  });
  const begin = [snapshot([100, 1]), snapshot([110, 2], 'B-1')];
  const ofMarket = rebuilt([...begin, refused({ ticker: 'A-1', seq: 3 }), change([300, 4], 'yes', [46, 1], 'B-1')]);
  assert.deepEqual(gapsOf(ofMarket), [['A-1', 110, null, 'not a price']]);
  const ofAll = rebuilt([...begin, refused({ ticker: null, seq: 3 })]);
  assert.deepEqual(gapsOf(ofAll), [
    ['A-1', 110, null, 'not a price'],
    ['B-1', 110, null, 'not a price'],
  ]);
});

test('the coin price is that of the last trade at or before the row, with its age', () => {
  const { rows } = rebuilt([
    snapshot([100, 1], 'KXBTC15M-A'),
    { kind: 'coin', us: 150, symbol: 'BTC-USD', price: '79739.51' },
    { kind: 'coin', us: 160, symbol: 'ETH-USD', price: '2000' },
    change([150 + 40, 2], 'yes', [46, 1], 'KXBTC15M-A'),
    { kind: 'coin', us: 190, symbol: 'BTC-USD', price: '1' },
    change([200, 3], 'yes', [46, 1], 'KXSOL15M-A'),
  ]);
  assert.deepEqual(
    rows.map(({ us, coinPrice, coinAgeUs }) => [us, coinPrice, coinAgeUs]),
    [
      [100, null, null],
      [190, '79739.51', 40],
    ],
  );
});

test('a clock that steps back by seconds ends no market: the time of the message before counts until it is caught up', () => {
  const result = rebuilt([
    snapshot([9_000_000, 1]),
    change([10_000_000, 2], 'yes', [46, 1]),
    change([7_000_000, 3], 'yes', [46, 1]),
    change([11_000_000, 4], 'yes', [46, 1]),
  ]);
  assert.deepEqual(gapsOf(result), []);
  assert.deepEqual(
    result.rows.map(({ us, yes }) => [us, yes.split(',0.45')[0]]),
    [
      [9_000_000, '[(0.45,5),(0.4,10)]'],
      [10_000_000, '[(0.46,2),(0.45,5),(0.4,10)]'],
      [11_000_000, '[(0.46,3),(0.45,5),(0.4,10)]'],
    ],
  );
});
