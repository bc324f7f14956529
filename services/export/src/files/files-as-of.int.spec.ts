import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytes, rows } from '@almanac/clickhouse';
import type { ExportQuery, ExportStream } from '@almanac/contracts';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import {
  type Archive,
  type MarketRow,
  startArchive,
  storeCandles,
  storeMarkets,
  storeObservations,
  storeSpans,
  storeTrades,
} from '../testing/archive.js';
import { queryOf } from '../testing/queries.js';
import { readFileStats } from './file-stats.js';
import { clockOf } from './file-selection.js';
import { arraySizeSql, countSql, fileSql } from './file-sql.js';

const second = 1_000_000;
const openS = 1_771_992_900;
/** The files are as of this time. */
const asOfS = openS + 300;
const us = (s: number): number => (openS + s) * second;

type Version = readonly [us: number, value: string | number | null];
const isKnown = ([at]: readonly [number, ...unknown[]]): boolean => at <= asOfS * second;

/** The row of a market by its versions. The present values are the last ones. */
const marketOf = (ticker: string, versions: Readonly<Record<string, readonly Version[]>>): MarketRow => {
  const all = Object.values(versions).flat();
  const present = Object.entries(versions).map(([field, values]) => [field, values.at(-1)?.[1] ?? null] as const);
  return {
    ticker,
    event_ticker: ticker.slice(0, 4),
    series: ticker.slice(0, 1),
    strike_type: 'greater',
    seq: 1,
    ...Object.fromEntries(present),
    ...Object.fromEntries(Object.entries(versions).map(([field, values]) => [`${field}_versions`, values] as const)),
    listed_us: all.length === 0 ? null : Math.min(...all.map(([at]) => at)),
  };
};

const versions: readonly Readonly<Record<string, readonly Version[]>>[] = [
  {
    open_us: [[us(-60), us(0)]],
    close_us: [
      [us(-60), us(900)],
      [us(301), us(310)],
    ],
    venue_status: [[us(0), 'active']],
    result: [[us(400), 'yes']],
    floor_strike: [[us(0), '65434.98']],
    settlement_us: [[us(400), us(399)]],
  },
  {
    close_us: [
      [us(-60), us(900)],
      [us(200), us(250)],
    ],
    result: [[us(300), 'no']],
    expiration_value: [
      [us(260), '100.5'],
      [us(301), '99'],
    ],
  },
  // Without any row, and listed later.
  { close_us: [[us(0), us(950)]] },
  { close_us: [[us(301), us(900)]] },
];

const seconds = [-5, 0, 100, 299.999_999, 300, 300.000_001, 450] as const;

/** Stores an event `<letter>-EV` with everything, or with only what was known by then. */
const storeEvent = async (archive: Archive, letter: string, isWhole: boolean): Promise<void> => {
  const tickers = versions.map((_, index) => `${letter}-EV-${index}`);
  const markets = versions.map((fields, index) => {
    const known = Object.entries(fields).flatMap(([field, values]): [string, readonly Version[]][] => {
      const some = values.filter(isKnown);
      return some.length === 0 ? [] : [[field, some]];
    });
    return {
      isListed: known.length > 0,
      row: marketOf(tickers[index] ?? '', isWhole ? fields : Object.fromEntries(known)),
    };
  });
  const listed = markets.filter(({ isListed }) => isWhole || isListed).map(({ row }) => row);
  // Rows of one insert have the same columns, or a default would stand for a missing one.
  for (const row of listed) await storeMarkets(archive, [row]);
  const times = seconds.filter((s) => isWhole || s <= 300);
  const book = { has_book: true, orderbook_no: [] };
  const observed = times.flatMap((s, index) =>
    tickers.slice(0, 2).map((ticker) => ({
      ticker,
      series: letter,
      ts: (openS + s).toFixed(6),
      seq: index,
      yes_best_bid: 0.4,
      ...book,
      orderbook_yes: [[0.4, index + 1]],
    })),
  );
  await storeObservations(archive, observed);
  const trade = {
    ticker: tickers[0] ?? '',
    series: letter,
    price: '0.06',
    size: '9',
    taker_side: 'no',
    venue_ts: null,
  };
  await storeTrades(
    archive,
    times.map((s) => ({ ...trade, trade_id: `t${s}`, received_ts: (openS + s).toFixed(6) })),
  );
  const candle = { ticker: tickers[0] ?? '', series: letter, source: 'kalshi', period_s: 60, stated_ts: '1772000000' };
  await storeCandles(
    archive,
    times.map((s, index) => ({
      ...candle,
      start_ts: (openS + s - 60).toFixed(6),
      end_ts: (openS + s).toFixed(6),
      volume: index,
    })),
  );
  const span = { layer: 'l2', ticker: tickers[0] ?? '', tolerance_us: 0 };
  await storeSpans(archive, [
    { ...span, start_us: us(0), end_us: us(100), end_reason: 'lost' },
    { ...span, start_us: us(200), end_us: isWhole ? us(310) : us(300), end_reason: isWhole ? 'lost' : null },
    ...(isWhole ? [{ ...span, start_us: us(320), end_us: us(450), end_reason: null }] : []),
  ]);
};

describe('a file as of a time', () => {
  let archive: Archive;
  before(async () => {
    archive = await startArchive();
    await storeEvent(archive, 'W', true);
    await storeEvent(archive, 'P', false);
  });
  after(() => archive.stop());

  const targetsOf = (letter: string): Partial<ExportQuery>[] => [
    { event: `${letter}-EV` },
    { ticker: `${letter}-EV-0` },
    { tickers: [0, 1, 2].map((at) => `${letter}-EV-${at}`) },
    { series: letter, day: '2026-02-25' },
  ];
  const pastOf = (given: Partial<ExportQuery>): ExportQuery => queryOf({ as_of: asOfS, ...given });

  /** Everything that is read for a file, as text. */
  const contentOf = async (exportQuery: ExportQuery): Promise<string> => {
    const nowUs = clockOf(exportQuery, 0);
    const stats = await readFileStats(archive.clickhouse, { exportQuery, nowUs }, AbortSignal.timeout(60_000));
    const counts = await rows(archive.clickhouse, countSql(exportQuery), z.looseObject({}));
    const body = await bytes(archive.clickhouse, fileSql(exportQuery, { nowUs, withEmpty: true }));
    const shown =
      exportQuery.format === 'parquet'
        ? await parquetReadObjects({ file: new Uint8Array(body).buffer, compressors })
        : body.toString('latin1');
    const plain = (_: string, value: unknown): unknown => (typeof value === 'bigint' ? String(value) : value);
    return JSON.stringify([stats, counts, shown], plain)
      .replaceAll(/\b[WP]-EV/g, 'EV')
      .replaceAll(/\b[WP]\b/g, 'S');
  };

  const assertSame = async (of: (letter: string) => ExportQuery): Promise<void> => {
    const query = of('W');
    assert.equal(await contentOf(query), await contentOf(of('P')), JSON.stringify(query));
  };

  it('has the same bytes, counts and gaps as one of an archive that has only what was known by then', async () => {
    const streams: ExportStream[] = ['l2', 'trades', 'candles', 'settlement'];
    for (const at of targetsOf('W').keys()) await assertSame((letter) => pastOf({ ...targetsOf(letter)[at], streams }));
    for (const alone of ['snapshots', 'trades', 'candles', 'settlement'] as const) {
      await assertSame((letter) => pastOf({ event: `${letter}-EV`, streams: [alone] }));
      await assertSame((letter) => pastOf({ series: letter, day: '2026-02-25', streams: [alone] }));
    }
    for (const format of ['json', 'parquet'] as const)
      await assertSame((letter) => pastOf({ event: `${letter}-EV`, streams, format }));
  });

  it('of an engine has the same bytes, too', async () => {
    const ofTicker = (letter: string): ExportQuery =>
      pastOf({ ticker: `${letter}-EV-0`, streams: ['l2', 'trades'], format: 'hftbacktest' });
    await assertSame(ofTicker);
    const size = z.object({ rows: z.coerce.number(), until_us: z.coerce.number() });
    const [array] = await rows(archive.clickhouse, arraySizeSql(ofTicker('W')), size);
    assert.equal(array?.until_us, asOfS * second);
    await assertSame((letter) => pastOf({ event: `${letter}-EV`, streams: ['l2'], format: 'tardis_csv' }));
  });

  it('has the values, the status and the rows of then', async () => {
    const query = pastOf({ event: 'W-EV', streams: ['settlement'] });
    const lines = (await bytes(archive.clickhouse, fileSql(query, { nowUs: asOfS * second, withEmpty: true })))
      .toString()
      .split('\r\n');
    const end = (at: number, rest: string) => `"W-EV-${at}","W-EV","W",${rest}`;
    assert.deepEqual(lines.slice(1, -1), [
      end(0, `"live",,${openS},${openS + 900},65434.98,"greater",,,,`),
      end(1, `"finalized","no",,${openS + 250},,"greater",,,100.5,`),
      end(2, `"live",,,${openS + 950},,"greater",,,,`),
    ]);
    const quotes = pastOf({ ticker: 'W-EV-0' });
    const { counts, missed } = await readFileStats(
      archive.clickhouse,
      { exportQuery: quotes, nowUs: asOfS * second },
      AbortSignal.timeout(60_000),
    );
    assert.equal(counts.rows, 5);
    assert.deepEqual(
      missed.gaps.map(({ start_ts, end_ts }) => [start_ts, end_ts]),
      [[openS + 100, openS + 200]],
    );
  });
});
