import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Candle } from '@almanac/client/node';
import { barOf, chartOf } from './chart.js';
import { csvOf } from './csv.js';
import { type Column, tableOf, widthOf } from './table.js';
import { bytes, count, duration, money, printable, time } from './values.js';

const paint = (_style: string, text: string): string => text;

const candle = (at: number, mid: Partial<Candle['mid']>, gap_s = 0): Candle => ({
  ticker: 'T',
  start_ts: at * 60,
  end_ts: at * 60 + 60,
  yes_bid: { open: null, high: null, low: null, close: null },
  yes_ask: { open: null, high: null, low: null, close: null },
  mid: { open: null, high: null, low: null, close: null, ...mid },
  coin_price: { open: null, high: null, low: null, close: null },
  price: { open: null, high: null, low: null, close: null, mean: null, previous: null },
  volume: null,
  trades: null,
  observations: 0,
  gap_s,
});

describe('values', () => {
  it('have units, and times are UTC', () => {
    assert.deepEqual([0, 999, 1_000, 90_103, 2_147_483_648].map(bytes), [
      '0 B',
      '999 B',
      '1.0 kB',
      '90.1 kB',
      '2.1 GB',
    ]);
    assert.deepEqual([12, 60, 200, 7_200, 7_500].map(duration), ['12s', '1m', '3m 20s', '2h', '2h 5m']);
    assert.deepEqual([1_771_992_900, 1_771_992_900.000001, 0].map(time), [
      '2026-02-25 04:15:00Z',
      '2026-02-25 04:15:00.000001Z',
      '1970-01-01 00:00:00Z',
    ]);
    assert.equal(money({ amount: 14_900, currency: 'usd' }), '149.00 USD');
    assert.deepEqual([count(1_234_567), count(null)], ['1,234,567', '–']);
  });

  it('cannot control the terminal', () => {
    assert.equal(printable('a\u001B[31mb\nc\u202Ed'), 'a [31mb c d');
  });
});

describe('a table', () => {
  const columns: readonly Column<{ readonly name: string; readonly n: number | null }>[] = [
    { title: 'NAME', value: ({ name }) => name, isFlexible: true },
    { title: 'N', value: ({ n }) => n, isRight: true },
  ];

  it('is aligned, with wide characters too', () => {
    const lines = tableOf(
      [
        { name: '中文', n: 7 },
        { name: 'x', n: null },
      ],
      columns,
      { paint, width: 80, none: '' },
    );
    assert.deepEqual(lines, ['NAME  N', '中文  7', 'x     –']);
    assert.equal(widthOf('é🙂e\u0301'), 4);
  });

  it('is cut to a narrow terminal, and not in a pipe', () => {
    const rows = [{ name: 'n'.repeat(50), n: 5 }];
    const [, cut = ''] = tableOf(rows, columns, { paint, width: 30, none: '' });
    assert.deepEqual([widthOf(cut), cut.includes('…')], [30, true]);
    assert.match(tableOf(rows, columns, { paint, width: Infinity, none: '' })[1] ?? '', /n{50}/);
  });

  it('of nothing is a sentence', () => {
    assert.deepEqual(tableOf([], columns, { paint, width: 80, none: 'Nothing.' }), ['Nothing.']);
  });
});

it('CSV has a column for each field, and quotes what needs it', () => {
  const lines = csvOf([
    { a: 1, b: { c: null, d: 'x,"y"' } },
    { a: 0.1, e: [1, 'z'] },
  ]);
  assert.deepEqual(lines, ['a,b_c,b_d,e', '1,,"x,""y""",', '0.1,,,"[1,""z""]"']);
  assert.deepEqual(csvOf([]), []);
});

describe('a chart', () => {
  it('draws bodies and wicks between the lowest and the highest price, and dots where data is missing', () => {
    const candles = [
      candle(0, { open: 0, high: 0.4, low: 0, close: 0.1 }),
      candle(1, {}, 60),
      candle(2, { open: 0.39, high: 0.4, low: 0.25, close: 0.31 }),
    ];
    const lines = chartOf(candles, { width: 60, height: 4, paint });
    assert.deepEqual(
      lines.slice(0, 4).map((line) => line.slice(line.indexOf('┤') + 1)),
      ['│ ▒', '│ │', '█  ', '█· '],
    );
    assert.match(lines[4] ?? '', /└1970-01-01 00:00:00Z {2}1970-01-01 00:03:00Z$/);
  });

  it('merges candles on a narrow terminal, and says when there is nothing to draw', () => {
    const candles = Array.from({ length: 500 }, (_, at) => candle(at, { open: 0.5, high: 0.6, low: 0.4, close: 0.5 }));
    for (const line of chartOf(candles, { width: 60, height: 5, paint }).slice(0, 5)) assert.ok(widthOf(line) <= 60);
    assert.deepEqual(chartOf([candle(0, {})], { width: 60, height: 5, paint }), ['No prices in this window.']);
    assert.equal(
      chartOf([candle(0, { open: 1, high: 1, low: 1, close: 1 })], { width: 60, height: 5, paint }).length,
      2,
    );
  });

  it("draws the trades of a venue's own candles, or the middle of its quotes", () => {
    const venue = { ...candle(0, {}), source: 'venue' as const };
    const price = { open: 0.2, high: 0.4, low: 0.1, close: 0.3, mean: null, previous: null };
    assert.deepEqual(barOf({ ...venue, price }), { open: 0.2, high: 0.4, low: 0.1, close: 0.3 });
    const quote = (open: number, close: number) => ({ open, high: 0.9, low: 0.1, close });
    const quiet = { ...venue, yes_bid: quote(0.1, 0.3), yes_ask: quote(0.2, 0.4) };
    assert.deepEqual(barOf(quiet), { open: 0.15, high: 0.35, low: 0.15, close: 0.35 });
    assert.equal(barOf({ ...candle(0, {}), price }), undefined, 'of a recording the middle counts');
  });
});
