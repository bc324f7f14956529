import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { timeseriesRpc } from '@almanac/contracts';
import { parquetReadObjects, parquetSchema, parquetMetadata } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import type { Observation } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;

const sizedRows = z.array(
  z.looseObject({ yes_best_bid_size: z.number().nullable(), yes_best_ask_size: z.number().nullable() }),
);
const sizesIn = (rows: unknown) =>
  sizedRows.parse(rows).map((row) => [row.yes_best_bid_size, row.yes_best_ask_size] as const);

/** The best bid of NO is the ask of YES. */
const withBooks: readonly Observation[] = [
  { us: openUs, bid: '0.5', ask: '0.52', book: { yes: '[(0.5,10.25),(0.49,2.5)]', no: '[(0.48,66031.01)]' } },
  { us: openUs + second, bid: '0.6', book: { yes: '[(0.6,7)]', no: '[]' } },
  { us: openUs + 2 * second, bid: '0.6', ask: '0.61', book: null },
];
const sizesOfBooks = [
  [10.25, 66_031.01],
  [7, null],
  [null, null],
];
const stated: readonly Observation[] = [
  { us: openUs, bid: '0.5', ask: '0.52', sizes: ['300.000001', '0'] },
  { us: openUs + second, bid: '0.5', ask: null, sizes: ['150', null] },
];
const statedSizes = [
  [300.000001, 0],
  [150, null],
];

describe('the sizes at the best bid and ask', () => {
  let tested: TimeseriesHarness;
  before(async () => {
    tested = await startHarness();
  });
  after(() => tested.stop());

  const newMarket = async (rows: readonly Observation[]): Promise<string> => {
    const ticker = `SIZES-${randomUUID()}`;
    await tested.fixture.market({
      ticker,
      series: 'S',
      event_ticker: 'E',
      open_us: openUs,
      close_us: openUs + 900 * second,
    });
    await tested.callers.store(ticker, rows);
    return ticker;
  };
  type Input = z.input<typeof timeseriesRpc.snapshots.input>;
  const bytesOf = async (input: Input): Promise<Buffer> =>
    (await tested.callers.bytes(timeseriesRpc.snapshots, input)).bytes;

  for (const [name, rows, expected] of [
    ['of a book are those of its first levels', withBooks, sizesOfBooks],
    ['of a row without a book are those that its source stated', stated, statedSizes],
  ] as const) {
    it(`${name}, in every form, by page and whole, with books and without`, async () => {
      const ticker = await newMarket(rows);
      for (const step_ms of [0, 1_000]) {
        for (const include_book of [false, true]) {
          const query = { ticker, step_ms, include_book, sizes: true };
          const { body } = await tested.callers.snapshots(query, { plan: 'full_book' });
          assert.deepEqual(sizesIn(body.snapshots), expected);
          for (const whole of [false, true]) {
            const lines = (await bytesOf({ ...query, whole, format: 'ndjson' })).toString().trim().split('\n');
            assert.deepEqual(sizesIn(lines.map((line) => JSON.parse(line) as unknown)), expected);
            const [header = '', ...cells] = (await bytesOf({ ...query, whole, format: 'csv' }))
              .toString()
              .split('\r\n');
            assert.match(header, /"coin_price","yes_best_bid_size","yes_best_ask_size"$/);
            const texts = expected.map((pair) => pair.map((size) => size ?? '').join(','));
            assert.deepEqual(
              cells.slice(0, -1).map((row) => row.split(',').slice(9).join(',')),
              texts,
            );
            const file = new Uint8Array(await bytesOf({ ...query, whole, format: 'parquet' })).buffer;
            assert.deepEqual(sizesIn(await parquetReadObjects({ file, compressors })), expected);
          }
        }
      }
    });
  }

  it('are exact decimals in Parquet, or floats on request', async () => {
    const ticker = await newMarket(stated);
    for (const [numbers, type] of [
      ['decimal', 'DECIMAL'],
      ['float', undefined],
    ] as const) {
      const file = new Uint8Array(await bytesOf({ ticker, sizes: true, numbers, format: 'parquet' })).buffer;
      const columns = parquetSchema(parquetMetadata(file)).children.filter(({ path }) => path[0]?.endsWith('_size'));
      assert.deepEqual(
        columns.map(({ element }) => [element.name, element.logical_type?.type, element.scale]),
        ['yes_best_bid_size', 'yes_best_ask_size'].map((name) => [name, type, type && 6]),
      );
    }
  });

  it('are in no answer that did not ask for them', async () => {
    const ticker = await newMarket(withBooks);
    const { text } = await tested.callers.snapshots({ ticker, step_ms: 0 });
    assert.doesNotMatch(text, /size/);
    for (const format of ['csv', 'ndjson', 'parquet'] as const) {
      const bytes = await bytesOf({ ticker, format, whole: true });
      assert.doesNotMatch(bytes.toString('latin1'), /best_bid_size|"sizes"/);
    }
    const pairs = await tested.callers.read(timeseriesRpc.marketsAt, { tickers: [ticker], at_ts: [openUs / 1e6] });
    assert.equal('yes_best_bid_size' in (pairs.body.snapshots[0] ?? {}), false);
  });

  it('are those of the last row before each of several times', async () => {
    const [books, tops] = [await newMarket(withBooks), await newMarket(stated)];
    const { body } = await tested.callers.read(timeseriesRpc.marketsAt, {
      tickers: [books, tops],
      at_ts: [openUs / 1e6 - 1, openUs / 1e6 + 0.5, openUs / 1e6 + 1],
      fields: ['yes_best_bid_size', 'yes_best_ask_size'],
    });
    assert.deepEqual(sizesIn(body.snapshots), [
      [null, null],
      ...sizesOfBooks.slice(0, 2),
      [null, null],
      ...statedSizes,
    ]);
  });
});
