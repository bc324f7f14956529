import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type ExpectedTrade, kalshiTradeDump, polymarketTradeDump } from '@almanac/recordings';
import { importSummary } from './report/summary.js';
import { importFiles, importText, mappingRefusal } from './testing/import-files.js';
import type { MemoryArchive } from './testing/memory-archive.js';

const sizes = { seed: 7, trades: 60, startS: 1_780_000_000 };

const stored = ({ trades }: Pick<MemoryArchive, 'trades'>): ExpectedTrade[] =>
  Array.from(trades.values(), ({ ticker, price, size, side, venueTs }) => ({
    ticker,
    price,
    size,
    side: side === 'yes' ? 'yes' : 'no',
    venueUs: Number((venueTs ?? '').replace('.', '')),
  }));

test('a dump of each venue gives its trades to the last digit, once, and creates their markets', async () => {
  const kalshi = kalshiTradeDump(sizes);
  const polymarket = polymarketTradeDump(sizes);
  const result = await importFiles({ 'trades.json': kalshi.text, 'trades.jsonl': polymarket.text });
  assert.deepEqual(stored(result), [...kalshi.trades, ...polymarket.trades]);
  assert.deepEqual(
    result.reports.map(({ error, mapping, rowsRead, tradesRead, tradesStored, tradeCounts, refusals }) => ({
      error,
      mapping,
      rowsRead,
      tradesRead,
      tradesStored,
      tradeCounts,
      refusals,
    })),
    ['kalshi-trades', 'polymarket-trades'].map((mapping) => ({
      error: null,
      mapping,
      rowsRead: 60,
      tradesRead: 60,
      tradesStored: 60,
      tradeCounts: { stored: 60, equal: 0, different: 0 },
      refusals: 0,
    })),
  );
  const known = { kind: 'market', ticker: 'KXRATE-27DEC-T3.00', series: 'KXRATE', event_ticker: 'KXRATE-27DEC' };
  assert.partialDeepStrictEqual(result.things.get('market KXRATE-27DEC-T3.00'), known);
  const unclear = { kind: 'market', ticker: 'KXFARAWAY-99', venue: 'kalshi' };
  assert.deepEqual(result.things.get('market KXFARAWAY-99'), unclear, 'nothing is guessed');
  assert.partialDeepStrictEqual(result.things.get('market will-it-rain-on-friday'), {
    venue: 'polymarket',
    event_ticker: 'weather-of-the-week',
    title: 'Will it rain on Friday?',
  });
  assert.doesNotMatch(JSON.stringify([...result.things, ...result.trades]), /a11ce|Alice|Rainy/);
});

test('a price of Kalshi in a field of whole cents is in dollars if both sides are together one, and is never a hundredth', async () => {
  const trade = { ticker: 'A', created_time: '2026-01-12T15:00:20Z', taker_side: 'no', count: 1 };
  const prices = [
    { yes_price: 49, no_price: 51 },
    { yes_price: 1 },
    { yes_price: 0.49, no_price: 0.51 },
    { yes_price: '0.0070', no_price: '0.9930' },
    { yes_price: 0.49 },
    { yes_price: 0.49, no_price: 0.52 },
  ];
  const lines = prices.map((price, index) => JSON.stringify({ ...trade, ...price, trade_id: `t${index}` }));
  const { trades, refused } = await importFiles({ 'trades.jsonl': lines.join('\n') });
  assert.deepEqual(
    Array.from(trades.values(), ({ price }) => price),
    ['0.49', '0.01', '0.49', '0.007'],
  );
  assert.partialDeepStrictEqual(refused, [
    { line: 5, reason: 'price: not a price from 0 to 1' },
    { line: 6, reason: 'price: not a price from 0 to 1' },
  ]);
});

test('of repeated trades the report counts what was replaced, and everything adds up', async () => {
  const trade = { trade_id: 't1', ticker: 'A', created_time: '2026-01-12T15:00:20.897212Z', taker_side: 'no' };
  const good = { ...trade, count_fp: '1.00', yes_price_dollars: '0.0600' };
  const lines = [
    good,
    good,
    { ...good, count_fp: '2.00' },
    { ...good, trade_id: 't2', created_time: '1999-01-01T00:00:00Z' },
    { ...good, trade_id: '' },
    { ...good, ticker: '' },
    { ...good, trade_id: 't3', created_time: 'soon' },
    { ...good, trade_id: 't4', yes_price_dollars: '1.01' },
    { ...good, trade_id: 't5', count_fp: '0' },
    { ...good, trade_id: 't6', taker_side: 'both' },
    { ...good, trade_id: 'x'.repeat(256) },
    { ...good, trade_id: 't7', ticker: 'T'.repeat(256) },
    { ...good, trade_id: 't8', yes_price_dollars: '0.12345678' },
    { hello: 'world' },
  ].map((line) => JSON.stringify(line));
  const text = [...lines, lines[0]?.slice(0, 40)].join('\n');
  const { report, trades } = await importFiles({ 'trades.jsonl': text });
  const [{ trades: summary, rows_read, refused, altered } = assert.fail()] = importSummary(
    { reports: [report], aborted: null },
    false,
  ).files;
  assert.equal(rows_read, 15);
  assert.deepEqual(summary, {
    read: 15,
    stored: 3,
    replaced_equal: 1,
    replaced_different: 1,
    refused: 10,
    not_stored: 0,
  });
  assert.deepEqual(
    refused.map(({ reason }) => reason),
    [
      'no trade id',
      'no ticker',
      'no time',
      'price: not a price from 0 to 1',
      'size: not a number above 0',
      'taker_side: neither yes nor no',
      'the trade id is longer than 255 bytes',
      'the ticker, series or event is longer than 255 bytes',
      'not a trade that this version supports',
      'not JSON',
    ],
  );
  assert.deepEqual(altered, [
    { reason: 'price: rounded to 6 decimals', count: 1, example: { from: '0.12345678', to: '0.123457' } },
  ]);
  assert.equal(trades.get('A t1')?.size, '2');
  assert.equal(trades.get('A t2')?.venueTs, '0915148800.000000', 'a trade older than its market is stored');
});

test('a trade of a feed and of a dump is one trade, with the receive time of the feed and the exact time of the dump', async () => {
  const id = '961535f3-d80f-5462-e91d-88d4fe6db285';
  const price = { yes_price_dollars: '0.0600', no_price_dollars: '0.9400', count_fp: '93.51', taker_side: 'no' };
  const dump = { trade_id: id, ticker: 'KXRATE-27DEC-T3.00', created_time: '2026-01-12T15:00:20.897212Z', ...price };
  const msg = {
    trade_id: id,
    market_ticker: 'KXRATE-27DEC-T3.00',
    ...price,
    ts: 1_768_230_020,
    ts_ms: 1_768_230_020_897,
  };
  const frames = [
    { type: 'subscribed', id: 1, msg: { channel: 'trade', sid: 2 } },
    { type: 'trade', sid: 2, msg },
    { type: 'trade', sid: 2, msg: { ...msg, trade_id: 'other' } },
    { type: 'trade', sid: 2, msg: { ...msg, trade_id: 'bad', count_fp: 'many' } },
  ].map((frame, at) => `{"recv_ts_ns": 176823002095${at}000000, "raw": ${JSON.stringify(JSON.stringify(frame))}}`);
  const files: readonly (readonly [name: string, text: string])[] = [
    ['frames.jsonl', `${frames.join('\n')}\n`],
    ['dump.json', JSON.stringify({ trades: [dump], cursor: '' })],
  ];
  for (const ordered of [files, files.toReversed()]) {
    const result = await importFiles(Object.fromEntries(ordered));
    assert.deepEqual(
      result.reports.map(({ error }) => error),
      [null, null],
    );
    assert.deepEqual(result.trades.get(`KXRATE-27DEC-T3.00 ${id}`), {
      ticker: 'KXRATE-27DEC-T3.00',
      series: 'KXRATE',
      id,
      venueTs: '1768230020.897212',
      receivedTs: '1768230020.951000',
      price: '0.06',
      size: '93.51',
      side: 'no',
    });
    assert.equal(result.trades.size, 2);
    const framesReport = result.reports.find(({ messages }) => messages !== null);
    assert.deepEqual(framesReport?.messages, { applied: 0, other: 3, refused: 1, notApplied: 0 });
    assert.deepEqual(framesReport?.refused, new Map([['size: not a number above 0', 1]]));
  }
});

test('a mapping describes trades', async () => {
  const mapping = `
name: fills
format: csv
match: { columns: [market, id, px] }
fields:
  ticker: { column: market }
  series: { ticker: '^([^-]+)-' }
  trade_id: { column: id, pattern: 'id-(.+)' }
  ts: { column: seen, unit: ms }
  venue_ts: { column: at, unit: iso }
  price: { column: px, unit: cents }
  size: { column: qty }
  taker_side: { column: aggressor, values: { B: 'yes', S: 'no' } }
`;
  const lines = [
    'market,id,px,qty,aggressor,at,seen',
    'S-1,id-7,6,93.51,B,2026-01-12T15:00:20.897212Z,1768230020951',
    'S-1,id-8,94,1,S,,1768230020951',
    'S-1,id-9,94,1,,2026-01-12T15:00:20Z,',
    'S-1,id-10,94,1,,,',
    'S-1,id-11,150,1,B,2026-01-12T15:00:20Z,',
    'S-1,id-12,94,1,B,2026-01-12T15:00:20Z,1768230020',
    'S-1,id-13,94,1,B,2026-01-12T15:00:20Z,soon',
    '',
  ];
  const { report, trades, things } = await importText(mapping, lines);
  assert.deepEqual(
    Array.from(trades.values(), ({ id, price, side, venueTs, receivedTs }) => [id, price, side, venueTs, receivedTs]),
    [
      ['7', '0.06', 'yes', '1768230020.897212', '1768230020.951000'],
      ['8', '0.94', 'no', null, '1768230020.951000'],
      ['9', '0.94', null, '1768230020.000000', null],
      ['13', '0.94', 'yes', '1768230020.000000', null],
    ],
  );
  assert.deepEqual(
    report.refused,
    new Map([
      ['no time', 1],
      ['price: not a price from 0 to 1', 1],
      ['ts: not a time from 1980 to 2100 in the unit ms of the mapping', 1],
    ]),
  );
  assert.partialDeepStrictEqual(things.get('market S-1'), { series: 'S' });
});

test('a mapping of trades that misses a field, or mixes it with quotes, is refused with the line', () => {
  assert.match(
    mappingRefusal('  trade_id: { column: b }'),
    /fields\.price is missing\n.*fields\.size is missing\n.*fields\.trade_id needs the field ts or venue_ts/s,
  );
  assert.match(mappingRefusal('  price: { column: b }'), /line 6: fields\.price needs the field trade_id/);
  assert.match(
    mappingRefusal(
      '  trade_id: { column: b }',
      '  price: { column: c }',
      '  size: { column: d }',
      '  venue_ts: { column: e, unit: s }',
      '  yes_best_bid: { column: f }',
    ),
    /line 10: fields\.yes_best_bid is not for trades/,
  );
});
