import assert from 'node:assert/strict';
import { test } from 'node:test';
import { kalshiCandles } from '../venues/kalshi/kalshi-candles.js';
import { reportLines } from '../import/report/report-lines.js';
import { importFiles, importText, mappingRefusal } from '../import/testing/import-files.js';
import type { RecordedCandle } from '../import/testing/memory-archive.js';

const startS = 1_771_992_000;
const ticker = 'KXA-26FEB24-T1';

interface Given {
  /** Minutes after the start. */
  readonly at: number;
  readonly bid?: number;
  readonly traded?: boolean;
  readonly form: 'cents' | 'both' | 'dollars' | 'historical';
}

/** A candle in a form of the API: cents, cents and dollars, dollars with `_fp`, or the texts of the historical answer. */
const candleOf = ({ at, bid = 30, traded = true, form }: Given) => {
  const valuesOf = (cents: Readonly<Record<string, number | null>>) =>
    Object.fromEntries(
      Object.entries(cents).flatMap(([name, value]): (readonly [string, unknown])[] => {
        const dollars = value === null ? null : (value / 100).toFixed(4);
        if (form === 'historical') return [[name, dollars]];
        const named = [`${name}_dollars`, dollars] as const;
        return form === 'cents' ? [[name, value]] : form === 'dollars' ? [named] : [[name, value], named];
      }),
    );
  const price = traded
    ? { open: 30, high: 33, low: 29, close: 31, mean: 30 }
    : { open: null, high: null, low: null, close: null, mean: null };
  const fp = form === 'dollars' ? '_fp' : '';
  return {
    end_period_ts: startS + at * 60,
    yes_bid: valuesOf({ open: bid, high: bid + 1, low: bid - 1, close: bid }),
    yes_ask: valuesOf({ open: 32, high: 34, low: 32, close: 33 }),
    price: valuesOf({ ...price, previous: 28 }),
    [`volume${fp}`]: fp === '' ? 12 : '12.00',
    [`open_interest${fp}`]: fp === '' ? 490 : '490.00',
  };
};

const others: ReadonlySet<string> = new Set(['ticker', 'series', 'source', 'stated_ts']);
const valuesOf = (candle: RecordedCandle) =>
  Object.fromEntries(Object.entries(candle).filter(([name]) => !others.has(name)));

const expected = (at: number, traded = true) => ({
  period_s: '60',
  start_ts: `${startS + at * 60 - 60}.000000`,
  end_ts: `${startS + at * 60}.000000`,
  yes_bid_open: '0.3',
  yes_bid_high: '0.31',
  yes_bid_low: '0.29',
  yes_bid_close: '0.3',
  yes_ask_open: '0.32',
  yes_ask_high: '0.34',
  yes_ask_low: '0.32',
  yes_ask_close: '0.33',
  price_open: traded ? '0.3' : null,
  price_high: traded ? '0.33' : null,
  price_low: traded ? '0.29' : null,
  price_close: traded ? '0.31' : null,
  price_mean: traded ? '0.3' : null,
  price_previous: '0.28',
  volume: '12',
  open_interest: '490',
});

const wanted = [expected(1), expected(2, false)];
const given = (form: Given['form']) => [candleOf({ at: 1, form }), candleOf({ at: 2, traded: false, form })];

test('answers about one market, several and an event give the same candles in every form of the API', async () => {
  for (const form of ['cents', 'both', 'dollars', 'historical'] as const) {
    const candlesticks = given(form);
    const answers = {
      one: { candlesticks, ticker },
      batch: { markets: [{ candlesticks, market_ticker: ticker }] },
      event: { market_candlesticks: [candlesticks], market_tickers: [ticker], adjusted_end_ts: startS },
    };
    for (const [name, answer] of Object.entries(answers)) {
      const { candles, report, things } = await importFiles({ 'answer.json': JSON.stringify(answer) });
      assert.deepEqual([report.mapping, report.error, report.refusals], ['kalshi-candles', null, 0]);
      assert.deepEqual(Array.from(candles.values(), valuesOf), wanted, `${name} in ${form}`);
      assert.partialDeepStrictEqual(things.get(`market ${ticker}`), { series: 'KXA', event_ticker: 'KXA-26FEB24' });
    }
  }
});

test('a recorded answer states its period, its market and its receipt', async () => {
  const _metadata = { recorded_at: '2026-02-25T04:00:00Z', ticker, period_interval: 1440 };
  const end_period_ts = 1_771_995_600;
  const day = { ...candleOf({ at: 0, form: 'both' }), end_period_ts };
  for (const response of [{ candlesticks: [day] }, { markets: [{ market_ticker: ticker, candlesticks: [day] }] }]) {
    const { candles, report } = await importFiles({ 'answer.json': JSON.stringify({ _metadata, response }) });
    assert.deepEqual(report.refused, new Map([['the period had not ended when the candle was received', 1]]));
    assert.equal(candles.size, 0);
    const later = { ..._metadata, recorded_at: '2026-02-26T00:00:00.5Z' };
    const read = await importFiles({ 'answer.json': JSON.stringify({ _metadata: later, response }) });
    const [candle] = read.candles.values();
    assert.deepEqual(
      [candle?.ticker, candle?.period_s, candle?.start_ts, candle?.end_ts, candle?.stated_ts],
      [ticker, '86400', `${end_period_ts - 86_400}.000000`, `${end_period_ts}.000000`, '1772064000.500000'],
    );
  }
});

test('lines, dictionaries in CSV and flat columns give the same candles', async () => {
  const lines = given('cents').map((candle) => JSON.stringify({ ticker, ...candle }));
  const python = (value: unknown): string =>
    `"${JSON.stringify(value).replaceAll('"', "'").replaceAll('null', 'None')}"`;
  const dictionaries = given('both').map(({ end_period_ts: end, price, yes_bid: bid, yes_ask: ask }) =>
    [end, python(price), 12, python(ask), python(bid), 490].join(','),
  );
  const names = ['yes_bid', 'yes_ask', 'price'].flatMap((quote) =>
    ['open', 'high', 'low', 'close'].map((part) => `${quote}_${part}`),
  );
  const flat = wanted.map((candle) => {
    const prices = names.map((name) => new Map(Object.entries(candle)).get(name) ?? '');
    return [
      ticker,
      candle.end_ts.slice(0, 10),
      ...prices,
      candle.price_mean ?? '',
      candle.price_previous,
      12.0,
      490,
    ].join(',');
  });
  const files = {
    'candles.jsonl': lines,
    [`${ticker}_candlesticks.csv`]: ['end_period_ts,price,volume,yes_ask,yes_bid,open_interest', ...dictionaries],
    'flat.csv': [`ticker,end_ts,${names.join(',')},price_mean,price_prev,volume,open_interest`, ...flat],
  };
  for (const [name, rows] of Object.entries(files)) {
    const { candles, report } = await importFiles({ [name]: rows.join('\n') });
    assert.deepEqual([report.error, report.refusals, report.rowsRead, report.candlesStored], [null, 0, 2, 2], name);
    assert.deepEqual(Array.from(candles.values(), valuesOf), wanted, name);
    assert.equal(candles.values().next().value?.ticker, ticker);
    const found = ['the period of 60 s is the distance of the rows'];
    const ofName = name.startsWith('KX') ? ['the market is that of the name of the file'] : [];
    assert.deepEqual(report.notes, [...ofName, ...found].toSorted());
    assert.ok(reportLines(report, false).includes('  candles read 2: stored 2, replaced 0, refused 0'));
  }
});

test('a market or a period that nothing shows refuses the candles, with a remedy', async () => {
  const text = (candles: readonly unknown[]): string => candles.map((candle) => JSON.stringify(candle)).join('\n');
  const refusals = {
    'no market in the row, the document or the name of the file': { 'candles.jsonl': text(given('both')) },
    'no period, and the distances of the rows do not show it': {
      [`${ticker}.jsonl`]: text([candleOf({ at: 1, form: 'both' }), candleOf({ at: 6, form: 'both' })]),
    },
    'the end is not the end of a period': {
      [`${ticker}.jsonl`]: text([
        ...given('both'),
        { ...candleOf({ at: 3, form: 'both' }), end_period_ts: startS + 185 },
      ]),
    },
    'a price in cents and one in dollars in one file': {
      [`${ticker}.jsonl`]: text([...given('cents'), { ...candleOf({ at: 3, form: 'cents' }), yes_bid: { open: 0.4 } }]),
    },
    'no unit of prices: all of the file are 0 or 1': {
      [`${ticker}.jsonl`]: text(
        [1, 2].map((at) => ({ end_period_ts: startS + at * 60, price: { open: 1, close: 1 } })),
      ),
    },
    'yes_bid_open: not a price from 0 to 1': {
      [`${ticker}.jsonl`]: text([
        ...given('both'),
        { ...candleOf({ at: 3, form: 'both' }), yes_bid: { open_dollars: '1.1' } },
      ]),
    },
  };
  for (const [reason, files] of Object.entries(refusals)) {
    const { report } = await importFiles(files);
    assert.ok(report.refused.has(reason), `${reason}: ${JSON.stringify([...report.refused])}`);
    assert.equal(report.candlesRead + report.candlesRefused, report.rowsRead);
  }
  const unnamed = { market_candlesticks: [given('both'), given('both')], market_tickers: [ticker] };
  const { candles } = await importFiles({ [`${ticker}.json`]: JSON.stringify(unnamed) });
  assert.equal(candles.size, 0, 'the name of a file is not the market of several lists');
});

test('the same candle twice is one, and the later statement wins', async () => {
  const text = (bid: number, at: string): string =>
    JSON.stringify({
      _metadata: { recorded_at: at, ticker, period_interval: 1 },
      response: { candlesticks: [candleOf({ at: 1, bid, form: 'both' })], ticker },
    });
  const files = {
    'b.json': text(40, '2026-03-02T00:00:00Z'),
    'a.json': text(20, '2026-03-01T00:00:00Z'),
    'c.json': text(40, '2026-03-02T00:00:00Z'),
  };
  const { candles, reports } = await importFiles(files);
  assert.deepEqual(
    Array.from(candles.values(), (candle) => candle.yes_bid_open),
    ['0.4'],
  );
  assert.deepEqual(
    reports.map(({ candleCounts }) => candleCounts),
    [
      { stored: 1, equal: 0, different: 0 },
      { stored: 0, equal: 0, different: 1 },
      { stored: 0, equal: 0, different: 1 },
    ],
  );
});

test('a value of another type, such as a list in the second file of a folder, refuses its row', async () => {
  const linesOf = (name: string, value: unknown): string =>
    [1, 2, 3]
      .map((at) => ({ ticker, end_period_ts: startS + at * 60, yes_bid_open: 0.3, yes_bid_close: 0.31, [name]: value }))
      .map((row) => JSON.stringify(row))
      .join('\n');
  const files = {
    'a.jsonl': linesOf('volume', 3),
    'b.jsonl': linesOf('yes_bid_open', [0.3]),
    'c.jsonl': linesOf('volume', {}),
  };
  const { candles, reports } = await importFiles(files);
  assert.equal(candles.size, 3);
  assert.deepEqual(
    reports.map(({ refused }) => [...refused]),
    [[], [['yes_bid_open: not a price from 0 to 1', 3]], [['volume: not a number from 0', 3]]],
  );
});

test('a table with an end and a single price is not one of candles', async () => {
  const { reports } = await importFiles({ 'prices.csv': 'ticker,end_ts,price\nM1,1771992060,0.4' });
  assert.match(reports[0]?.error ?? '', /no built-in mapping matches these columns/);
});

test('a file or folder names a market, and a folder of an event does not', () => {
  const names = [
    'KXA-26FEB24-T1.5_candlesticks.csv',
    'KXELONMARS-99.json',
    'KXA-26FEB24-T1 hourly.csv',
    'kalshi.csv',
    'KXA',
  ];
  assert.deepEqual(
    names.map((name) => kalshiCandles.tickerIn(name)),
    ['KXA-26FEB24-T1.5', 'KXELONMARS-99', 'KXA-26FEB24-T1', null, null],
  );
});

const mapping = `
name: mine
format: csv
match: { columns: [market, end] }
fields:
  ticker: { column: market }
  candle_end_ts: { column: end, unit: s }
  candle_period: { column: length, unit: m }
  yes_bid_open: { column: bid, unit: cents }
  price_close: { column: last }
  open_interest: { column: oi }
`;

test('a mapping describes candles in columns of its own', async () => {
  const end = 1_771_992_300;
  const rows = [
    'market,end,length,bid,last,oi',
    `M1,${end},5,42,0.43,7`,
    `M1,${end},7,42,0.43,7`,
    `,${end},5,42,0.43,7`,
  ];
  const { candles, report, things } = await importText(mapping, rows);
  const [candle] = candles.values();
  assert.equal(candles.size, 1);
  assert.partialDeepStrictEqual(candle, {
    ticker: 'M1',
    source: 'mine',
    period_s: '300',
    start_ts: `${end - 300}.000000`,
    yes_bid_open: '0.42',
    price_close: '0.43',
    price_open: null,
    volume: null,
    open_interest: '7',
  });
  assert.deepEqual(things.get('market M1'), { kind: 'market', ticker: 'M1' });
  assert.deepEqual(
    report.refused,
    new Map([
      ['the end is not the end of a period', 1],
      ['no ticker', 1],
    ]),
  );
  assert.match(mappingRefusal('  candle_end_ts: { column: b, unit: s }'), /candle_period.*is missing/);
  assert.match(mappingRefusal('  open_interest: { column: b }'), /needs the field candle_end_ts/);
});
