import assert from 'node:assert/strict';
import { test } from 'node:test';
import { everyChangeUs } from '@almanac/contracts';
import { one } from '../values/millionths.js';
import { everySequence } from './sequence-rules.js';
import type { BookMessage, Level, Side } from './feed-message.js';
import { rebuilt } from './testing/rebuild-books.js';

type Place = readonly [us: number, seq: number];

const at = ([us, seq]: Place, ticker = 'A-1') => ({ us, venueUs: us - 5, ticker, sid: 1, seq });
const cents = (levels: readonly (readonly [number, number])[]): Level[] =>
  levels.map(([price, size]) => [price * 10_000, size * one]);
const snapshot = (place: Place, ticker?: string): BookMessage => ({
  kind: 'snapshot',
  ...at(place, ticker),
  yes: cents([
    [40, 10],
    [45, 5],
  ]),
  no: cents([[50, 7]]),
});
const change = (place: Place, side: Side, [price, by]: readonly [number, number], ticker?: string): BookMessage => ({
  kind: 'change',
  ...at(place, ticker),
  side,
  price: price * 10_000,
  by: by * one,
});
/** The times between the spans of each market, and after the last one if a fault ended it. */
const gapsOf = ({ spans }: ReturnType<typeof rebuilt>) =>
  Array.from(Map.groupBy(spans.values(), ({ ticker }) => ticker).values()).flatMap((its) =>
    its
      .map(({ ticker, endUs, endReason }, index) => [ticker, endUs, its[index + 1]?.startUs ?? null, endReason])
      .filter(([, , endUs, reason]) => endUs !== null || reason !== 'the recording ended'),
  );
const timesOf = ({ rows }: ReturnType<typeof rebuilt>) => rows.map(({ us }) => us);

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
