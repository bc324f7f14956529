import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { bytes } from '@almanac/clickhouse';
import { type ExportQuery, type ExportStream, tableFormatIds } from '@almanac/contracts';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import { eventQuery } from '../testing/event-query.js';
import { startFixture, storeMarkets, storeObservations, storeTrades, type ExportFixture } from '../testing/fixture.js';
import { fileSql } from './file-sql.js';

const event = 'E';
const [booked, topped] = [`${event}-30`, `${event}-45`];
const sized = z.looseObject({ yes_best_bid_size: z.number().nullable(), yes_best_ask_size: z.number().nullable() });
const sizesIn = (rows: unknown) =>
  z
    .array(sized)
    .parse(rows)
    .map((row) => [row.yes_best_bid_size, row.yes_best_ask_size]);

/** A book, a row of the same recording without one, a trade between them, and a stated top without a bid. */
const expected = [
  [10.25, 66_031.01],
  [null, null],
  [null, null],
  [null, 0.000001],
];

describe('a file with sizes', () => {
  let fixture: ExportFixture;
  before(async () => {
    fixture = await startFixture();
    const market = { event_ticker: event, series: 'KXBTC15M', seq: 1 };
    await storeMarkets(
      fixture,
      [booked, topped].map((ticker) => ({ ...market, ticker })),
    );
    const book = { has_book: true, orderbook_yes: [[0.86, 10.25]], orderbook_no: [[0.13, 66_031.01]] };
    const quote = { yes_best_bid: 0.86, yes_best_ask: 0.87 };
    await storeObservations(fixture, [{ ticker: booked, ts: '1771993365', ...quote, ...book }]);
    await storeObservations(fixture, [{ ticker: booked, ts: '1771993367', ...quote }]);
    const top = { yes_best_bid: null, yes_best_ask: 0.87, yes_best_bid_size: null, yes_best_ask_size: '0.000001' };
    await storeObservations(fixture, [{ ticker: topped, ts: '1771993365', ...top }]);
    const trade = { ticker: booked, series: 'KXBTC15M', price: '0.06', size: '93.51', taker_side: 'no' };
    await storeTrades(fixture, [{ ...trade, trade_id: 'a', venue_ts: '1771993366', received_ts: null }]);
  });
  after(() => fixture.stop());

  const queryOf = (streams: ExportStream[], more: Partial<ExportQuery> = {}): ExportQuery => ({
    ...eventQuery,
    ...more,
    streams,
  });
  const fileOf = (query: ExportQuery): Promise<Buffer> =>
    bytes(fixture.clickhouse, fileSql(query, { nowUs: 1, withEmpty: true }));

  it('has them after the prices, before the books, and nothing in the rows of trades', async () => {
    const lines = (await fileOf(queryOf(['sizes', 'l2', 'trades']))).toString().split('\r\n');
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
    const observed = expected.filter((_, index) => index !== 1);
    for (const numbers of ['decimal', 'float'] as const) {
      for (const format of tableFormatIds.filter((id) => id !== 'csv')) {
        const body = await fileOf(queryOf(['sizes', 'settlement'], { format, numbers }));
        if (format === 'parquet') {
          const file = new Uint8Array(body).buffer;
          assert.deepEqual(sizesIn(await parquetReadObjects({ file, compressors })), observed);
          const columns = parquetSchema(parquetMetadata(file)).children.map(({ element }) => element);
          const types = columns.filter(({ name }) => name.endsWith('_size')).map((column) => column.logical_type?.type);
          assert.deepEqual(types, numbers === 'decimal' ? ['DECIMAL', 'DECIMAL'] : [undefined, undefined]);
        } else {
          const text = body.toString();
          const rows: unknown = JSON.parse(format === 'json' ? text : `[${text.trim().split('\n').join(',')}]`);
          assert.deepEqual(sizesIn(rows), observed);
        }
      }
    }
  });

  it('is asked for: other files have the bytes that they had', async () => {
    for (const streams of [['snapshots'], ['l2'], ['snapshots', 'settlement'], ['trades']] as ExportStream[][]) {
      assert.doesNotMatch((await fileOf(queryOf(streams))).toString(), /_size/);
    }
  });
});
