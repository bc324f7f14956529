import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytes, rows } from '@almanac/clickhouse';
import { type ExportQuery, type ExportStream, tableFormatIds } from '@almanac/contracts';
import { parquetMetadata } from 'hyparquet';
import { z } from 'zod';
import {
  type Archive,
  startArchive,
  storeCandles,
  storeMarkets,
  storeObservations,
  storeTrades,
} from '../testing/archive.js';
import { queryOf } from '../testing/queries.js';
import { fileColumns } from './file-columns.js';
import { fileSql, rowsOfDaysSql } from './file-sql.js';
import { readFileStats } from './file-stats.js';

const event = 'KXBTC15M-26FEB250000';
const [mixed, candled, silent] = [`${event}-30`, `${event}-35`, `${event}-45`];
/** Midnight of 2026-02-25. */
const midnightS = 1_771_977_600;

const candle = (ticker: string, startS: number, values: object = {}): Readonly<Record<string, unknown>> => ({
  ticker,
  series: 'KXBTC15M',
  source: 'kalshi',
  period_s: 60,
  start_ts: String(startS),
  end_ts: String(startS + 60),
  stated_ts: '1772000000',
  yes_bid_open: '0.4',
  price_mean: null,
  volume: '93.51',
  open_interest: '1200',
  ...values,
});

describe('a file with venue candles', () => {
  let archive: Archive;
  before(async () => {
    archive = await startArchive();
    const row = { event_ticker: event, series: 'KXBTC15M', seq: 1 };
    const life = { open_us: (midnightS - 900) * 1e6, close_us: (midnightS + 900) * 1e6 };
    await storeMarkets(
      archive,
      [mixed, candled, silent].map((ticker) => ({ ...row, ...life, ticker })),
    );
    await storeObservations(archive, [{ ticker: mixed, ts: String(midnightS), seq: 1, yes_best_bid: 0.86 }]);
    const trade = { ticker: mixed, series: 'KXBTC15M', price: '0.06', size: '9', taker_side: 'no', received_ts: null };
    await storeTrades(archive, [{ ...trade, trade_id: 'a', venue_ts: String(midnightS) }]);
    await storeCandles(archive, [
      candle(candled, midnightS, { price_mean: '0.41' }),
      candle(candled, midnightS - 60, { yes_bid_open: null, volume: null }),
      candle(candled, midnightS - 3_600, { period_s: 3_600, end_ts: String(midnightS) }),
      candle(mixed, midnightS - 60),
    ]);
    // A later statement of a candle replaces it.
    await storeCandles(archive, [candle(candled, midnightS, { stated_ts: '1772000001', price_mean: '0.42' })]);
  });
  after(() => archive.stop());

  const linesOf = async (exportQuery: ExportQuery): Promise<string[]> =>
    (await bytesOf(exportQuery)).toString().split('\r\n').slice(0, -1);
  const bytesOf = (exportQuery: ExportQuery, withEmpty = true): Promise<Buffer> =>
    bytes(archive.clickhouse, fileSql(exportQuery, { nowUs: 1, withEmpty }));
  const countOf = async (exportQuery: ExportQuery): Promise<number> =>
    (await readFileStats(archive.clickhouse, { exportQuery, nowUs: 1 }, AbortSignal.timeout(60_000))).counts.rows;
  const start = (ticker: string): string => `"${ticker}","${event}","KXBTC15M"`;
  const header =
    '"venue","venue_period_s","start_ts","end_ts","yes_bid_open","yes_bid_high","yes_bid_low","yes_bid_close",' +
    '"yes_ask_open","yes_ask_high","yes_ask_low","yes_ask_close","price_open","price_high","price_low","price_close",' +
    '"price_mean","price_previous","volume","open_interest"';

  it('has a row for each candle when it ends, the shorter one first, and one for a market without candles', async () => {
    const query = queryOf({ event, streams: ['candles'] });
    const minute = (startS: number, bid: string, mean: string, volume: string): string =>
      `"kalshi",60,${startS},${startS + 60},${bid},,,,,,,,,,,,${mean},,${volume},1200`;
    const hour = `"kalshi",3600,${midnightS - 3_600},${midnightS},0.4,,,,,,,,,,,,,,93.51,1200`;
    assert.deepEqual(await linesOf(query), [
      `"ticker","event_ticker","series","ts","venue_ts",${header}`,
      `${start(mixed)},${midnightS},,${minute(midnightS - 60, '0.4', '', '93.51')}`,
      `${start(candled)},${midnightS},,${minute(midnightS - 60, '', '', '')}`,
      `${start(candled)},${midnightS},,${hour}`,
      `${start(candled)},${midnightS + 60},,${minute(midnightS, '0.4', '0.42', '93.51')}`,
      `${start(silent)},,,${','.repeat(19)}`,
    ]);
    assert.equal(await countOf(query), 5);
  });

  it('and other rows has the observation, the trade and the candle of one time in this order', async () => {
    const query = queryOf({ ticker: mixed, streams: ['snapshots', 'trades', 'candles'] });
    const lines = await linesOf(query);
    assert.deepEqual(
      lines.slice(1).map((line) => [line.split(',')[3], /"a"|"kalshi"/.exec(line)?.[0]]),
      [
        [String(midnightS), undefined],
        [String(midnightS), '"a"'],
        [String(midnightS), '"kalshi"'],
      ],
    );
    assert.equal(await countOf(query), 3);
  });

  it('has the same bytes and types whether or not an empty market was searched for', async () => {
    for (const format of tableFormatIds)
      for (const streams of [['candles'], ['l2', 'trades', 'candles', 'settlement']] as ExportStream[][]) {
        const query = queryOf({ ticker: candled, streams, format });
        const [searched, spared] = await Promise.all([bytesOf(query, true), bytesOf(query, false)]);
        assert.ok(spared.equals(searched), `${format} ${streams.join(' ')}`);
      }
  });

  it('has the described columns, in every set of streams', async () => {
    for (const streams of [
      ['candles'],
      ['sizes', 'l2', 'trades', 'candles', 'settlement'],
      ['settlement'],
    ] as ExportStream[][]) {
      const query = queryOf({ event, streams, format: 'parquet' });
      const { schema } = parquetMetadata(new Uint8Array(await bytesOf(query)).buffer);
      const names = schema.slice(1).flatMap(({ name }) => (name === 'list' || name === 'element' ? [] : [name]));
      assert.deepEqual(
        fileColumns(query).map(({ name }) => name),
        names,
      );
    }
  });

  it('of a day has the candles that begin on it', async () => {
    const range = queryOf({ series: 'KXBTC15M', from: '2026-02-24', to: '2026-02-26', streams: ['candles'] });
    const days = z.object({ day: z.string(), rows: z.coerce.number() });
    const found = await rows(archive.clickhouse, rowsOfDaysSql(range), days);
    assert.deepEqual(
      found.toSorted((a, b) => (a.day < b.day ? -1 : 1)),
      [
        { day: '2026-02-24', rows: 3 },
        { day: '2026-02-25', rows: 1 },
      ],
    );
    const day = queryOf({ series: 'KXBTC15M', day: '2026-02-24', streams: ['candles'] });
    const ofDay = (await linesOf(day)).filter((line) => line.includes('"kalshi"'));
    assert.equal(ofDay.length, 3);
  });

  it('as of a time has those that had ended, and no trace of later ones', async () => {
    const at = (asOf: number) => linesOf(queryOf({ ticker: candled, streams: ['candles'], as_of: asOf }));
    const ended = async (asOf: number): Promise<number> =>
      (await at(asOf)).filter((line) => line.includes('"kalshi"')).length;
    assert.deepEqual(await Promise.all([midnightS - 0.000_001, midnightS, midnightS + 59.9].map(ended)), [0, 2, 2]);
    assert.equal(await ended(midnightS + 60), 3);
  });
});
