import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { bytesOf } from '@almanac/bus';
import { command } from '@almanac/clickhouse';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { eventually, readArrow } from '@almanac/testing';
import { parquetMetadata, parquetReadObjects, parquetSchema } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import type { Callers, Observation, TimeseriesFixture } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const second = 1_000_000;
const openUs = 1_771_992_900 * second;
const forms = ['csv', 'ndjson', 'parquet', 'arrow'] as const;
type Input = z.input<typeof timeseriesRpc.snapshots.input>;

let tested: TimeseriesHarness;
let fixture: TimeseriesFixture;
let callers: Callers;
before(async () => {
  tested = await startHarness({ changes: { STREAMS_CONCURRENT: 3 } });
  ({ fixture, callers } = tested);
});
after(() => tested.stop());

describe('the rows of a whole window', () => {
  const market = async (): Promise<string> => {
    const ticker = `KX "${randomUUID()}", é`;
    await fixture.market({ ticker, series: 'S', event_ticker: 'E', open_us: openUs, close_us: openUs + 900 * second });
    return ticker;
  };
  const request = (input: Omit<Input, 'whole'>, account = 'a1') =>
    callers.rpc.forward(timeseriesRpc.snapshots, {
      input: { step_ms: 0, ...input, whole: true },
      context: { requestId: 'test', account, plan: 'full_book' },
    });
  const seqsIn = async (format: (typeof forms)[number], bytes: Buffer): Promise<number[]> => {
    if (format === 'parquet') {
      const rows = await parquetReadObjects({ file: new Uint8Array(bytes).buffer, compressors, columns: ['seq'] });
      return rows.map((row) => Number(row['seq']));
    }
    if (format === 'arrow') return readArrow(bytes).rows.map((row) => Number(row['seq']));
    if (format === 'csv')
      return [...bytes.toString().matchAll(/"E","S",[\d.]+,,(\d+),/g)].map(([, seq]) => Number(seq));
    const lines = bytes.toString().split('\n').slice(0, -1);
    return lines.map((line) => z.object({ seq: z.int() }).parse(JSON.parse(line)).seq);
  };
  /** A row a second, in ClickHouse only except for the first and last. */
  const longMarket = async (rowsN: number): Promise<string> => {
    const ticker = await market();
    const ends = [0, rowsN - 1].map((seq) => ({ us: openUs + seq * second, seq, bid: '0.5' }));
    await callers.store(ticker, ends);
    const sql = `INSERT INTO snapshots (ticker, series, ts, seq, yes_best_bid, has_book, orderbook_yes)
      SELECT {ticker:String}, 'S', fromUnixTimestamp64Micro(toInt64(${openUs} + number * ${second}), 'UTC'), number, 0.5,
        true, [(toDecimal32(0.5, 6), toDecimal64(number, 6))] FROM numbers(${rowsN})`;
    await command(fixture.operator, { sql, params: { ticker } });
    return ticker;
  };

  it('are those of the pages, in every form and at any step, with books and without', async () => {
    const ticker = await longMarket(6_000);
    for (const format of forms) {
      for (const [step_ms, include_book] of [
        [0, false],
        [7_000, true],
        [60_000, false],
      ] as const) {
        const reply = await request({ ticker, format, step_ms, include_book });
        const bytes = await bytesOf(reply);
        const last = new Map(
          Array.from({ length: 6_000 }, (_, seq) => [
            Math.floor((openUs / 1e3 + seq * 1e3) / Math.max(step_ms, 1)),
            seq,
          ]),
        );
        assert.deepEqual(await seqsIn(format, bytes), [...last.values()], `${format}, step ${step_ms}`);
        const trailer = reply.trailer?.() ?? reply.meta.head;
        const sha256 = createHash('sha256').update(bytes).digest('hex');
        assert.deepEqual([trailer?.['complete'], trailer?.['count'], trailer?.['sha256']], [true, last.size, sha256]);
        const { start_ts, end_ts, has_more } = reply.meta.head ?? {};
        assert.deepEqual([start_ts, end_ts, has_more], [openUs / 1e6, openUs / 1e6 + 5_999.000001, false]);
      }
    }
    const reply = await request({ ticker, format: 'parquet' });
    const metadata = parquetMetadata(new Uint8Array(await bytesOf(reply)).buffer);
    const query = metadata.key_value_metadata?.find(({ key }) => key === 'almanac.query')?.value ?? '{}';
    assert.equal(z.object({ ticker: z.string() }).parse(JSON.parse(query)).ticker, ticker);
  });

  it('are a header, no line, or a file without rows when nothing is stored', async () => {
    const ticker = await market();
    for (const [format, expected] of [
      ['csv', /^"ticker","event_ticker","series","ts",.*"coin_price"\r\n$/],
      ['ndjson', /^$/],
      ['parquet', /^PAR1.*PAR1$/s],
    ] as const) {
      const reply = await request({ ticker, format });
      assert.match((await bytesOf(reply)).toString('latin1'), expected);
      assert.deepEqual([reply.meta.head?.['count'], reply.meta.head?.['complete']], [0, true]);
    }
  });

  it('stream at most twice for an account, while short answers and other accounts need no place', async () => {
    const ticker = await longMarket(100_000);
    const open = [await request({ ticker, format: 'csv' }), await request({ ticker, format: 'ndjson' })];
    await assert.rejects(
      request({ ticker, format: 'csv' }),
      (error) => error instanceof DomainError && error.code === 'unavailable' && /bulk reads/.test(error.message),
    );
    assert.equal((await request({ ticker, format: 'csv', step_ms: 60_000 })).meta.head?.['complete'], true);
    open.push(await request({ ticker, format: 'csv' }, 'a2'));
    const [first, ...rest] = open;
    if (first === undefined) throw new Error('three streams are open');
    assert.equal((await seqsIn('csv', await bytesOf(first))).length, 100_000);
    for (const reply of rest) reply.cancelRest?.();
    await eventually(async () => {
      const again = await request({ ticker, format: 'csv' });
      await bytesOf(again);
    });
  });
});

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
  const bytesIn = async (input: Input): Promise<Buffer> =>
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
            const lines = (await bytesIn({ ...query, whole, format: 'ndjson' })).toString().trim().split('\n');
            assert.deepEqual(sizesIn(lines.map((line) => JSON.parse(line) as unknown)), expected);
            const [header = '', ...cells] = (await bytesIn({ ...query, whole, format: 'csv' }))
              .toString()
              .split('\r\n');
            assert.match(header, /"coin_price","yes_best_bid_size","yes_best_ask_size"$/);
            const texts = expected.map((pair) => pair.map((size) => size ?? '').join(','));
            assert.deepEqual(
              cells.slice(0, -1).map((row) => row.split(',').slice(9).join(',')),
              texts,
            );
            const file = new Uint8Array(await bytesIn({ ...query, whole, format: 'parquet' })).buffer;
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
      const file = new Uint8Array(await bytesIn({ ticker, sizes: true, numbers, format: 'parquet' })).buffer;
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
      const bytes = await bytesIn({ ticker, format, whole: true });
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
