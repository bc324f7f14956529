import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytes, rows } from '@almanac/clickhouse';
import { tableFormatIds, type ExportQuery, type ExportStream } from '@almanac/contracts';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { startFixture, storeMarkets, storeObservations, storeTrades, type ExportFixture } from '../testing/fixture.js';
import { fileSql, rowsOfDaysSql } from './file-sql.js';
import { readFileStats } from './file-stats.js';

const event = 'KXBTC15M-26FEB242330';
const [traded, quiet, silent] = [`${event}-30`, `${event}-35`, `${event}-45`];

const parquetTrades = z.array(
  z.object({ trade_id: z.string(), price: z.number(), size: z.number(), taker_side: z.string().nullable() }),
);

describe('a file with trades', () => {
  let fixture: ExportFixture;
  before(async () => {
    fixture = await startFixture();
    const row = { event_ticker: event, series: 'KXBTC15M', seq: 1 };
    const day = { open_us: 1_771_992_900_000_000, close_us: 1_771_993_800_000_000 };
    await storeMarkets(fixture, [
      ...[traded, quiet, silent].map((ticker) => ({ ...row, ...day, ticker })),
      { ...row, ticker: 'NEVER-OPEN', event_ticker: 'NEVER', open_us: null, close_us: null },
    ]);
    const quote = { yes_best_bid: 0.86, yes_best_ask: 0.87 };
    await storeObservations(fixture, [
      { ticker: traded, ts: '1771993365', seq: 1, ...quote },
      { ticker: traded, ts: '1771993367', seq: 2, ...quote },
      { ticker: quiet, ts: '1771993366', seq: 3, ...quote },
    ]);
    const trade = { ticker: traded, series: 'KXBTC15M', price: '0.06', size: '93.51', taker_side: 'no' };
    await storeTrades(fixture, [
      { ...trade, trade_id: 'b', venue_ts: '1771993365', received_ts: null },
      { ...trade, trade_id: 'a', venue_ts: '1771993365', received_ts: null },
      { ...trade, trade_id: 'c', venue_ts: '1771993364', received_ts: '1771993366.000001', taker_side: null },
      { ...trade, trade_id: 'x', ticker: 'NEVER-OPEN', venue_ts: '1771993365', received_ts: null },
    ]);
    // The same trade from another source.
    await storeTrades(fixture, [{ ...trade, trade_id: 'a', venue_ts: '1771993364.9', received_ts: null }]);
  });
  after(() => fixture.stop());

  const queryOf = (streams: ExportStream[], target: Partial<ExportQuery> = { event }): ExportQuery => {
    const none = { event: null, ticker: null, series: null, day: null };
    return { ...none, format: 'csv', numbers: 'decimal', ...target, streams };
  };
  const textOf = async (exportQuery: ExportQuery, withEmpty = true): Promise<string[]> =>
    (await bytes(fixture.clickhouse, fileSql(exportQuery, { nowUs: 1, withEmpty }))).toString().split('\r\n');
  const countOf = async (exportQuery: ExportQuery): Promise<number> =>
    (await readFileStats(fixture.clickhouse, { exportQuery, nowUs: 1 }, AbortSignal.timeout(60_000))).counts.rows;

  const start = (ticker: string): string => `"${ticker}","${event}","KXBTC15M"`;

  it('has a row for each trade by time and id, and one for a market without trades', async () => {
    assert.deepEqual(await textOf(queryOf(['trades'])), [
      '"ticker","event_ticker","series","ts","venue_ts","trade_id","price","size","taker_side"',
      `${start(traded)},1771993365,1771993365,"a",0.06,93.51,"no"`,
      `${start(traded)},1771993365,1771993365,"b",0.06,93.51,"no"`,
      `${start(traded)},1771993366.000001,1771993364,"c",0.06,93.51,`,
      `${start(quiet)},,,,,,`,
      `${start(silent)},,,,,,`,
      '',
    ]);
    assert.equal(await countOf(queryOf(['trades'])), 5);
  });

  it('and quotes has both on one clock, with the observation first in one microsecond', async () => {
    const query = queryOf(['snapshots', 'trades']);
    assert.deepEqual(await textOf(query), [
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
        const query = { ...queryOf(streams, { ticker: traded }), format };
        const [searched, spared] = await Promise.all(
          [true, false].map((withEmpty) => bytes(fixture.clickhouse, fileSql(query, { nowUs: 1, withEmpty }))),
        );
        assert.ok(searched && spared?.equals(searched), `${format} ${streams.join(' ')}`);
      }
    const query = { ...queryOf(['trades'], { ticker: traded }), format: 'parquet', numbers: 'float' } as const;
    const body = await bytes(fixture.clickhouse, fileSql(query, { nowUs: 1, withEmpty: true }));
    const file = new Uint8Array(body).buffer;
    assert.deepEqual(
      parquetTrades
        .parse(await parquetReadObjects({ file, compressors }))
        .map(({ trade_id, price, size, taker_side }) => [trade_id, price, size, taker_side]),
      [
        ['a', 0.06, 93.51, 'no'],
        ['b', 0.06, 93.51, 'no'],
        ['c', 0.06, 93.51, null],
      ],
    );
  });

  it('of a day has only markets of the pack, so that trades change no price', async () => {
    const target = { series: 'KXBTC15M', day: '2026-02-25' };
    const query = queryOf(['trades'], target);
    const lines = await textOf(query);
    assert.equal(lines.length, 7);
    assert.ok(lines.every((line) => !line.includes('NEVER-OPEN')));
    assert.equal(await countOf(query), 5);
    const other = queryOf(['trades'], { series: 'KXBTC15M', day: '2026-02-24' });
    assert.deepEqual((await textOf(other)).slice(1), ['']);
    const range = queryOf(['snapshots', 'trades'], { series: 'KXBTC15M', from: '2026-02-24', to: '2026-02-26' });
    const days = z.object({ day: z.string(), rows: z.coerce.number() });
    assert.deepEqual(await rows(fixture.clickhouse, rowsOfDaysSql(range), days), [{ day: '2026-02-25', rows: 6 }]);
  });
});
