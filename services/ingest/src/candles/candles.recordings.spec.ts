import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';
import { promisify } from 'node:util';
import { recording } from '@almanac/testing';
import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { importPaths } from '../import/testing/import-files.js';
import type { RecordedCandle } from '../import/testing/memory-archive.js';

const parquet = recording('data/parquet/kalshi_candles_nyc.parquet');
const recorded = recording('data/kalshi-candles');
const answers = recording('data/kalshi-rest');

const quotes = ['yes_bid', 'yes_ask', 'price'] as const;
const parts = ['open', 'high', 'low', 'close'] as const;
const names = [...quotes.flatMap((quote) => parts.map((part) => `${quote}_${part}`)), 'price_mean', 'price_previous'];
const columns = [...names, 'volume', 'open_interest'];

/** Market, end and values of each candle, by market and end. */
type Row = readonly [ticker: string, endS: number, ...(number | null)[]];
const numberOf = (value: unknown): number | null => (value === null || value === undefined ? null : Number(value));
const sorted = (rows: readonly Row[]): readonly Row[] =>
  rows.toSorted((a, b) => (a[0] < b[0] ? -1 : a[0] > b[0] ? 1 : a[1] - b[1]));
const stored = (candles: ReadonlyMap<string, RecordedCandle>): readonly Row[] =>
  sorted(
    Array.from(candles.values(), (candle) => {
      const values = new Map<string, unknown>(Object.entries(candle));
      return [
        candle.ticker ?? '',
        Number(candle.end_ts),
        ...columns.map((name) => numberOf(values.get(name))),
      ] as const;
    }),
  );

test('a table of hours is stored row by row', { skip: parquet.skip }, async () => {
  const file = await asyncBufferFromFile(parquet.path);
  const rows = await parquetReadObjects({ file, compressors });
  const expected = rows.map((row): Row => {
    const values = new Map<string, unknown>(Object.entries(row));
    const valueOf = (name: string) => numberOf(values.get(name === 'price_previous' ? 'price_prev' : name));
    return [String(row['ticker']), Number(row['end_ts']), ...columns.map(valueOf)];
  });
  const { candles, reports } = await importPaths([parquet.path]);
  assert.equal(expected.length, 31_375);
  assert.deepEqual(stored(candles), sorted(expected));
  assert.ok([...candles.values()].every(({ period_s: periodS }) => periodS === '3600'));
  assert.deepEqual(
    reports.map(({ refusals, candlesStored }) => [refusals, candlesStored]),
    [[0, 31_375]],
  );
});

/** The values of a dictionary in Python's notation or of an answer, by the dollars that it states. */
const valueIn = (text: string, part: string): number | null =>
  numberOf(new RegExp(`['"]${part}_dollars['"]: ['"]([\\d.]+)['"]`).exec(text)?.[1]);

test('the minutes of 55 markets in a tar are stored row by row', { skip: recorded.skip }, async () => {
  const path = join(recorded.path, 'KXTRUMPMENTION-26FEB28.tar.gz');
  const { stdout: list } = await promisify(execFile)('tar', ['tzf', path]);
  const { stdout } = await promisify(execFile)('tar', ['xzOf', path], { maxBuffer: 64 * 1_048_576 });
  const tickers = list.split('\n').flatMap((name) => /([^/]+)_candlesticks\.csv$/.exec(name)?.[1] ?? []);
  const files = stdout.split(/^end_period_ts,.*$/m).slice(1);
  assert.deepEqual([tickers.length, files.length], [55, 55]);
  const expected = files.flatMap((text, at) =>
    text
      .trim()
      .split('\n')
      .map((line): Row => {
        const [, price = '', volume = '', ask = '', bid = ''] =
          /"(\{.*?\})",[\d.]+,([\d.]+),"(\{.*?\})","(\{.*?\})"/.exec(line) ?? [];
        const [end, , openInterest] = line.split(',', 3);
        const texts = { yes_bid: bid, yes_ask: ask, price };
        const values = quotes.flatMap((quote) => parts.map((part) => valueIn(texts[quote], part)));
        const rest = [valueIn(price, 'mean'), valueIn(price, 'previous'), Number(volume), Number(openInterest)];
        return [tickers[at] ?? '', Number(end), ...values, ...rest];
      }),
  );
  const { candles, reports } = await importPaths([recorded.path]);
  assert.equal(expected.length, 18_796);
  assert.deepEqual(stored(candles), sorted(expected));
  assert.ok([...candles.values()].every(({ period_s: periodS }) => periodS === '60'));
  assert.equal(
    reports.reduce((sum, { refusals }) => sum + refusals, 0),
    0,
  );
});

test('the days of one market are the same in three answers', { skip: answers.skip }, async () => {
  const [series, event, batch] = await Promise.all(
    ['series_candlesticks', 'event_candlesticks', 'candlesticks_batch'].map((name) =>
      importPaths([join(answers.path, `${name}.json`)]),
    ),
  );
  assert.ok(series && event && batch);
  const text = readFileSync(join(answers.path, 'series_candlesticks.json'), 'utf8');
  assert.equal(stored(series.candles).length, text.split('end_period_ts').length - 1);
  assert.deepEqual(stored(batch.candles), stored(series.candles));
  const ends = new Set(stored(series.candles).map(([, endS]) => endS));
  const common = stored(event.candles).filter(([, endS]) => ends.has(endS));
  assert.equal(common.length, 88);
  assert.deepEqual(common, stored(series.candles).slice(2));
  assert.ok(
    [...series.candles.values()].every(({ ticker, period_s }) => ticker === 'KXELONMARS-99' && period_s === '86400'),
  );
});
