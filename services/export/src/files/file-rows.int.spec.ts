import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytes, command, localTableOf, rows } from '@almanac/clickhouse';
import { type ExportQuery, type ExportStream, type TableFormatId, tableFormatIds } from '@almanac/contracts';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { type Archive, startArchive, storeMarkets, storeObservations, storeTrades } from '../testing/archive.js';
import { queryOf } from '../testing/queries.js';
import { fileSql, rowsOfDaysSql } from './file-sql.js';
import { readFileStats } from './file-stats.js';

let archive: Archive;
before(async () => {
  archive = await startArchive();
});
after(() => archive.stop());

const bytesOf = (exportQuery: ExportQuery, withEmpty = true): Promise<Buffer> =>
  bytes(archive.clickhouse, fileSql(exportQuery, { nowUs: 1, withEmpty }));
const linesOf = async (exportQuery: ExportQuery): Promise<string[]> =>
  (await bytesOf(exportQuery)).toString().split('\r\n');
const objectsIn = (body: Buffer, format: TableFormatId): unknown => {
  if (format === 'parquet') return parquetReadObjects({ file: new Uint8Array(body).buffer, compressors });
  const text = body.toString();
  return JSON.parse(format === 'json' ? text : `[${text.trim().split('\n').join(',')}]`);
};
const quote = { yes_best_bid: 0.86, yes_best_ask: 0.87 };

describe('a file with trades', () => {
  const event = 'KXBTC15M-26FEB242330';
  const [traded, quiet, silent] = [`${event}-30`, `${event}-35`, `${event}-45`];
  before(async () => {
    const row = { event_ticker: event, series: 'KXBTC15M', seq: 1 };
    const life = { open_us: 1_771_992_900_000_000, close_us: 1_771_993_800_000_000 };
    await storeMarkets(archive, [
      ...[traded, quiet, silent].map((ticker) => ({ ...row, ...life, ticker })),
      { ...row, ticker: 'NEVER-OPEN', event_ticker: 'NEVER', open_us: null, close_us: null },
    ]);
    await storeObservations(archive, [
      { ticker: traded, ts: '1771993365', seq: 1, ...quote },
      { ticker: traded, ts: '1771993367', seq: 2, ...quote },
      { ticker: quiet, ts: '1771993366', seq: 3, ...quote },
    ]);
    const trade = { ticker: traded, series: 'KXBTC15M', price: '0.06', size: '93.51', taker_side: 'no' };
    await storeTrades(archive, [
      { ...trade, trade_id: 'b', venue_ts: '1771993365', received_ts: null },
      { ...trade, trade_id: 'a', venue_ts: '1771993365', received_ts: null },
      { ...trade, trade_id: 'c', venue_ts: '1771993364', received_ts: '1771993366.000001', taker_side: null },
      { ...trade, trade_id: 'x', ticker: 'NEVER-OPEN', venue_ts: '1771993365', received_ts: null },
    ]);
    // The same trade from another source.
    await storeTrades(archive, [{ ...trade, trade_id: 'a', venue_ts: '1771993364.9', received_ts: null }]);
  });

  const countOf = async (exportQuery: ExportQuery): Promise<number> =>
    (await readFileStats(archive.clickhouse, { exportQuery, nowUs: 1 }, AbortSignal.timeout(60_000))).counts.rows;
  const start = (ticker: string): string => `"${ticker}","${event}","KXBTC15M"`;

  it('has a row for each trade by time and id, and one for a market without trades', async () => {
    const query = queryOf({ event, streams: ['trades'] });
    assert.deepEqual(await linesOf(query), [
      '"ticker","event_ticker","series","ts","venue_ts","trade_id","price","size","taker_side"',
      `${start(traded)},1771993365,1771993365,"a",0.06,93.51,"no"`,
      `${start(traded)},1771993365,1771993365,"b",0.06,93.51,"no"`,
      `${start(traded)},1771993366.000001,1771993364,"c",0.06,93.51,`,
      `${start(quiet)},,,,,,`,
      `${start(silent)},,,,,,`,
      '',
    ]);
    assert.equal(await countOf(query), 5);
  });

  it('and quotes has both on one clock, with the observation first in one microsecond', async () => {
    const query = queryOf({ event, streams: ['snapshots', 'trades'] });
    assert.deepEqual(await linesOf(query), [
      '"ticker","event_ticker","series","ts","venue_ts","seq","yes_best_bid","yes_best_ask","coin_price",' +
        '"trade_id","price","size","taker_side"',
      `${start(traded)},1771993365,,1,0.86,0.87,,,,,`,
      `${start(traded)},1771993365,1771993365,,,,,"a",0.06,93.51,"no"`,
      `${start(traded)},1771993365,1771993365,,,,,"b",0.06,93.51,"no"`,
      `${start(traded)},1771993366.000001,1771993364,,,,,"c",0.06,93.51,`,
      `${start(traded)},1771993367,,2,0.86,0.87,,,,,`,
      `${start(quiet)},1771993366,,3,0.86,0.87,,,,,`,
      `${start(silent)},,,,,,,,,,`,
      '',
    ]);
    assert.equal(await countOf(query), 7);
  });

  it('has the same bytes and types whether or not an empty market was searched for', async () => {
    for (const format of tableFormatIds)
      for (const streams of [['trades'], ['l2', 'trades', 'settlement']] as ExportStream[][]) {
        const query = queryOf({ ticker: traded, streams, format });
        const [searched, spared] = await Promise.all([bytesOf(query, true), bytesOf(query, false)]);
        assert.ok(spared.equals(searched), `${format} ${streams.join(' ')}`);
      }
    const floats = await bytesOf(queryOf({ ticker: traded, streams: ['trades'], format: 'parquet', numbers: 'float' }));
    const trades = z.array(
      z.object({ trade_id: z.string(), price: z.number(), size: z.number(), taker_side: z.string().nullable() }),
    );
    assert.deepEqual(trades.parse(await objectsIn(floats, 'parquet')), [
      { trade_id: 'a', price: 0.06, size: 93.51, taker_side: 'no' },
      { trade_id: 'b', price: 0.06, size: 93.51, taker_side: 'no' },
      { trade_id: 'c', price: 0.06, size: 93.51, taker_side: null },
    ]);
  });

  it('of a day has only markets of the pack, so that trades change no price', async () => {
    const query = queryOf({ series: 'KXBTC15M', day: '2026-02-25', streams: ['trades'] });
    const lines = await linesOf(query);
    assert.equal(lines.length, 7);
    assert.ok(lines.every((line) => !line.includes('NEVER-OPEN')));
    assert.equal(await countOf(query), 5);
    assert.deepEqual((await linesOf({ ...query, day: '2026-02-24' })).slice(1), ['']);
    const streams: ExportStream[] = ['snapshots', 'trades'];
    const range = queryOf({ series: 'KXBTC15M', from: '2026-02-24', to: '2026-02-26', streams });
    const days = z.object({ day: z.string(), rows: z.coerce.number() });
    assert.deepEqual(await rows(archive.clickhouse, rowsOfDaysSql(range), days), [{ day: '2026-02-25', rows: 6 }]);
  });
});

describe('a file with sizes', () => {
  const event = 'SIZED';
  /** A book, a row of the same recording without one, a trade between them, and a stated top without a bid. */
  const expected = [
    [10.25, 66_031.01],
    [null, null],
    [null, null],
    [null, 0.000001],
  ];
  before(async () => {
    const [booked, topped] = [`${event}-30`, `${event}-45`];
    const market = { event_ticker: event, series: 'KXSIZED', seq: 1, floor_strike: '65573.37' };
    await storeMarkets(
      archive,
      [booked, topped].map((ticker) => ({ ...market, ticker })),
    );
    const book = { has_book: true, orderbook_yes: [[0.86, 10.25]], orderbook_no: [[0.13, 66_031.01]] };
    await storeObservations(archive, [{ ticker: booked, ts: '1771993365', ...quote, ...book }]);
    await storeObservations(archive, [{ ticker: booked, ts: '1771993367', ...quote }]);
    const top = { yes_best_bid: null, yes_best_ask: 0.87, yes_best_bid_size: null, yes_best_ask_size: '0.000001' };
    await storeObservations(archive, [{ ticker: topped, ts: '1771993365', ...top }]);
    const trade = { ticker: booked, series: 'KXSIZED', price: '0.06', size: '93.51', taker_side: 'no' };
    await storeTrades(archive, [{ ...trade, trade_id: 's', venue_ts: '1771993366', received_ts: null }]);
  });

  it('has them after the prices, before the books, and nothing in the rows of trades', async () => {
    const lines = await linesOf(queryOf({ event, streams: ['sizes', 'l2', 'trades'] }));
    assert.equal(
      lines[0],
      '"ticker","event_ticker","series","ts","venue_ts","seq","yes_best_bid","yes_best_ask","coin_price",' +
        '"yes_best_bid_size","yes_best_ask_size","orderbook_yes","orderbook_no","trade_id","price","size","taker_side"',
    );
    const sizes = lines.slice(1, -1).map((line) => line.split(',').slice(9, 11));
    assert.deepEqual(
      sizes,
      expected.map((pair) => pair.map((size) => (size === 0.000001 ? '0.000001' : `${size ?? ''}`))),
    );
  });

  it('has the same sizes in every format, exact or as floats', async () => {
    const sized = z.looseObject({ yes_best_bid_size: z.number().nullable(), yes_best_ask_size: z.number().nullable() });
    for (const numbers of ['decimal', 'float'] as const) {
      for (const format of tableFormatIds.filter((id) => id !== 'csv')) {
        const body = await bytesOf(queryOf({ event, streams: ['sizes', 'settlement'], format, numbers }));
        const found = z.array(sized).parse(await objectsIn(body, format));
        assert.deepEqual(
          found.map((row) => [row.yes_best_bid_size, row.yes_best_ask_size]),
          expected.toSpliced(1, 1),
        );
        if (format !== 'parquet') continue;
        const columns = parquetSchema(parquetMetadata(new Uint8Array(body).buffer)).children;
        const ofSizes = columns.filter(({ element }) => element.name.endsWith('_size'));
        assert.deepEqual(
          ofSizes.map(({ element }) => element.logical_type?.type),
          numbers === 'decimal' ? ['DECIMAL', 'DECIMAL'] : [undefined, undefined],
        );
      }
    }
  });

  it('of floats has them in Parquet, lists of books too, with the values of the decimals', async () => {
    const streams: ExportStream[] = ['l2', 'settlement'];
    const of = (format: TableFormatId, numbers: ExportQuery['numbers']) =>
      bytesOf(queryOf({ event, streams, format, numbers }));
    const body = await of('parquet', 'float');
    const { schema } = parquetMetadata(new Uint8Array(body).buffer);
    const floats = schema.filter(({ type }) => type === 'DOUBLE').map(({ name }) => name);
    const books = ['element', 'element'];
    const settled = ['floor_strike', 'coin_price_start', 'coin_price_end', 'expiration_value'];
    assert.deepEqual(floats, ['yes_best_bid', 'yes_best_ask', 'coin_price', ...books, ...settled]);
    const levels = z.array(z.array(z.number())).nullable();
    const shown = z.array(
      z.object({ yes_best_bid: z.number().nullable(), floor_strike: z.number(), orderbook_yes: levels }),
    );
    const exact = shown.parse(await objectsIn(await of('json', 'decimal'), 'json'));
    assert.deepEqual(shown.parse(await objectsIn(await of('json', 'float'), 'json')), exact);
    // A row without a book has an empty list in Parquet.
    const withLists = exact.map((row) => ({ ...row, orderbook_yes: row.orderbook_yes ?? [] }));
    assert.deepEqual(shown.parse(await objectsIn(body, 'parquet')), withLists);
  });

  it('is asked for: other files have the bytes that they had', async () => {
    for (const streams of [['snapshots'], ['l2'], ['snapshots', 'settlement'], ['trades']] as ExportStream[][])
      assert.doesNotMatch((await bytesOf(queryOf({ event, streams }))).toString(), /_size/);
  });
});

describe('a CSV file with escaped formulas', () => {
  const odd = ['=1+1', '+A', '-A', '@A', '\tA', '\rA', 'A=1', "'=1"];
  before(async () => {
    const values = { floor_strike: '-5.5', result: '@yes', strike_type: '-less' };
    const market = { event_ticker: 'ODD-E', series: '=SUM(A1)', ...values };
    await storeMarkets(
      archive,
      odd.map((ticker, n) => ({ ...market, ticker, seq: n + 1 })),
    );
    await storeObservations(
      archive,
      odd.map((ticker) => ({ ticker, series: '=SUM(A1)', ts: '1771977600', seq: 1, coin_price: '-3.25' })),
    );
  });

  it('has no cell that a spreadsheet runs, and the same order and numbers', async () => {
    for (const streams of [['snapshots', 'settlement'], ['settlement']] as ExportStream[][]) {
      const unchanged = (await bytesOf(queryOf({ event: 'ODD-E', streams }))).toString();
      const escaped = (await bytesOf(queryOf({ event: 'ODD-E', streams, csv_formulas: 'escape' }))).toString();
      assert.match(unchanged, /"=1\+1","ODD-E","=SUM\(A1\)"/);
      assert.equal(escaped, unchanged.replaceAll(/(?<=^|[,\n])"(?=[=+\-@\t\r])/g, `"'`));
      assert.equal(escaped.match(/-5\.5/g)?.length, odd.length);
      assert.doesNotMatch(escaped, /(?:^|[,\n])"[=+\-@\t\r]/);
    }
  });
});

describe('a file of the same data', () => {
  const event = 'KXSAME-26FEB24';
  const markets = 20;
  before(async () => {
    const row = { event_ticker: event, series: 'KXSAME', seq: 1, result: 'yes' };
    await storeMarkets(
      archive,
      Array.from({ length: markets }, (_, market) => ({ ...row, ticker: `${event}-${market}`, floor_strike: market })),
    );
    // Several parts, each with all markets. The later ones replace some rows of the earlier.
    for (const [part, every] of [1, 3, 7].entries())
      await command(archive.operator, {
        sql: `INSERT INTO snapshots (ticker, series, ts, seq, coin_price, has_book, orderbook_yes, orderbook_no)
          SELECT {event:String} || '-' || toString(number % {markets:UInt64}), 'KXSAME',
            fromUnixTimestamp64Micro(1771900000000000 + intDiv(number, {markets:UInt64}) * 1000003),
            if(number % 5 = 0, NULL, number + {part:UInt64}), number / 100 + {part:UInt64},
            number % 2 = 0, arrayMap(level -> (level / 100, number % 977), range(number % 12)), []
          FROM numbers(40000) WHERE number % {every:UInt64} = 0`,
        params: { event, markets, part, every },
      });
  });

  it('has the same bytes in every format, in whatever order the table holds the rows', async () => {
    const streams: ExportStream[] = ['l2', 'settlement'];
    // JSON lines are the rows of JSON without brackets.
    const formats = tableFormatIds.filter((format) => format !== 'jsonl.gz');
    const files = [
      ...formats.map((format) => queryOf({ event, format, streams })),
      queryOf({ event, streams: ['settlement'] }),
    ];
    const all = async (): Promise<Buffer[]> => {
      const bodies: Buffer[] = [];
      for (const query of files) bodies.push(await bytesOf(query, false));
      return bodies;
    };
    const isSame = async (first: readonly Buffer[], when: string): Promise<void> => {
      for (const [index, body] of (await all()).entries())
        assert.ok(first[index]?.equals(body), `${files[index]?.format} ${files[index]?.streams.join()} ${when}`);
    };
    const first = await all();
    await isSame(first, 'again');
    const stored = archive.operator.cluster === undefined ? 'snapshots' : localTableOf('snapshots');
    await command(archive.operator, { sql: `OPTIMIZE TABLE ${stored} FINAL` });
    await isSame(first, 'of one part');
  });
});
