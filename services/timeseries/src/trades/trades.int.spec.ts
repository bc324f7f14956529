import assert from 'node:assert/strict';
import { createHash, randomUUID } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { bytesOf } from '@almanac/bus';
import { type Handlers, serveContracts } from '@almanac/bus/server';
import { type CatalogueFact, catalogRpc, DomainError, type SnapshotForm, timeseriesRpc } from '@almanac/contracts';
import { eventually, readArrow } from '@almanac/testing';
import { parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { z } from 'zod';
import type { Callers, TimeseriesFixture } from '../testing/fixture.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';
import { type GivenTrade, storeTrades } from '../testing/store-trades.js';

const second = 1_000_000;
const startUs = 1_771_992_900 * second;
const log = { error: () => undefined, warn: () => undefined, debug: () => undefined };
const context = { requestId: 'test', account: 'a1', plan: 'free' };

const text = z.string();
const parquetTrades = z.array(
  z.object({ ticker: text, trade_id: text, price: z.number(), size: z.number(), taker_side: text.nullable() }),
);

const recorded: CatalogueFact[] = [];

/** The catalogue, as far as this service calls it. */
const contracts = { record: catalogRpc.record };
const handlers: Handlers<typeof contracts> = {
  record: ({ facts }) => {
    recorded.push(...facts);
    return { outcomes: facts.map(() => ({ outcome: 'changed' as const })), last_seq: 1 };
  },
};

describe('trades', () => {
  let tested: TimeseriesHarness;
  let fixture: TimeseriesFixture;
  let callers: Callers;
  let catalogue: { stop(): Promise<void> };
  before(async () => {
    tested = await startHarness();
    ({ fixture, callers } = tested);
    catalogue = await serveContracts(await tested.busOf('catalog'), contracts, handlers, log);
  });
  after(async () => {
    await catalogue.stop();
    await tested.stop();
  });

  const newMarket = async (): Promise<string> => {
    const ticker = `KX "${randomUUID()}", é`;
    await fixture.market({ ticker, series: 'S', event_ticker: 'E' });
    return ticker;
  };
  const store = (ticker: string, trades: readonly GivenTrade[]): Promise<void> =>
    storeTrades(callers.importer, ticker, trades);
  type TradesInput = z.input<typeof timeseriesRpc.trades.input>;
  const read = async (input: TradesInput) => {
    const reply = await callers.rpc.forward(timeseriesRpc.trades, { input, context });
    const bytes = await bytesOf(reply);
    return { body: timeseriesRpc.trades.output.parse(JSON.parse(bytes.toString())), meta: reply.meta };
  };
  const readForm = async (input: TradesInput & { format: SnapshotForm }) => {
    const reply = await callers.rpc.forward(timeseriesRpc.trades, { input, context });
    return { bytes: await bytesOf(reply), head: reply.meta.head ?? {} };
  };

  it('are answered by time and id, with the receive time before the time at the venue', async () => {
    const ticker = await newMarket();
    const exact = { price: '0.123456', size: '12345678.123456' };
    await store(ticker, [
      { id: 'b', venueUs: startUs + 3, side: null },
      { id: 'a "quoted" {"ts":', venueUs: startUs + 3, side: 'no', ...exact },
      { id: 'c', venueUs: startUs, receivedUs: startUs + 1 },
    ]);
    const { body, meta } = await read({ ticker });
    const ts = (us: number): number => (startUs + us) / 1e6;
    assert.deepEqual(body, {
      ticker,
      series: 'S',
      start_ts: null,
      end_ts: null,
      order: 'asc',
      count: 3,
      has_more: false,
      next_cursor: null,
      trades: [
        { ts: ts(1), venue_ts: ts(0), trade_id: 'c', price: 0.5, size: 1, taker_side: 'yes' },
        {
          ts: ts(3),
          venue_ts: ts(3),
          trade_id: 'a "quoted" {"ts":',
          price: 0.123456,
          size: 12345678.123456,
          taker_side: 'no',
        },
        { ts: ts(3), venue_ts: ts(3), trade_id: 'b', price: 0.5, size: 1, taker_side: null },
      ],
    });
    assert.equal(meta.ticker, ticker);
    assert.equal(meta.version, 2, 'one change of the catalogue, one batch');
  });

  it('are stored once by their id, in any order of sources, and raise the data version', async () => {
    const live = { id: 'x', venueUs: startUs + 20_897_000, receivedUs: startUs + 21_000_001 };
    const dump = { id: 'x', venueUs: startUs + 20_897_212 };
    const answers = [];
    for (const batches of [
      [[live], [dump]],
      [[dump], [live]],
      [
        [live, dump],
        [live, dump],
      ],
    ]) {
      const ticker = await newMarket();
      for (const batch of batches) await store(ticker, batch);
      const { body, meta } = await read({ ticker });
      assert.equal(meta.version, 3);
      answers.push(body.trades);
    }
    const expected = [
      {
        ts: (startUs + 21_000_001) / 1e6,
        venue_ts: (startUs + 20_897_212) / 1e6,
        trade_id: 'x',
        price: 0.5,
        size: 1,
        taker_side: 'yes',
      },
    ];
    assert.deepEqual(answers, [expected, expected, expected]);
  });

  it('are read page by page in every form and order, without a repeat or a hole, though many have one time', async () => {
    const ticker = await newMarket();
    const trades = Array.from({ length: 47 }, (_, index) => ({
      id: `t${String((index * 31) % 47).padStart(2, '0')}`,
      venueUs: startUs + Math.floor(index / 10) * second,
    }));
    await store(ticker, trades);
    const sorted = trades.toSorted((a, b) => a.venueUs - b.venueUs || (a.id < b.id ? -1 : 1)).map(({ id }) => id);
    for (const order of ['asc', 'desc'] as const) {
      const expected = order === 'asc' ? sorted : sorted.toReversed();
      const json: string[] = [];
      const csv: string[] = [];
      let cursor: string | null = null;
      let csvCursor: string | null = null;
      for (let page = 0; page < 7; page += 1) {
        const answer: z.output<typeof timeseriesRpc.trades.output> = (await read({ ticker, order, limit: 7, cursor }))
          .body;
        json.push(...answer.trades.map(({ trade_id }) => trade_id));
        const { bytes, head } = await readForm({ ticker, order, limit: 7, cursor: csvCursor, format: 'csv' });
        csv.push(
          ...bytes
            .toString()
            .split('\r\n')
            .slice(1, -1)
            .map((line) => line.split('"').at(-4) ?? ''),
        );
        assert.deepEqual([head['count'], head['has_more']], [answer.count, answer.has_more]);
        assert.equal(answer.has_more, page < 6);
        cursor = answer.next_cursor;
        csvCursor = typeof head['next_cursor'] === 'string' ? head['next_cursor'] : null;
        assert.equal(csvCursor, cursor);
      }
      assert.deepEqual(json, expected);
      assert.deepEqual(csv, expected);
    }
    const window = { start_ts: startUs / 1e6 + 1, end_ts: startUs / 1e6 + 3 };
    assert.deepEqual(
      (await read({ ticker, ...window })).body.trades.map(({ trade_id }) => trade_id),
      sorted.slice(10, 30),
    );
  });

  it('are read whole as CSV, JSON lines, Parquet and Arrow with their number and hash', async () => {
    const ticker = await newMarket();
    await store(ticker, [
      { id: 'b', venueUs: startUs + second, receivedUs: startUs + second + 5, price: '0.06', size: '93.51' },
      { id: 'a', venueUs: startUs, price: '0.94', side: null },
    ]);
    const csv = await readForm({ ticker, format: 'csv', whole: true });
    const quoted = `"${ticker.replaceAll('"', '""')}"`;
    assert.equal(
      csv.bytes.toString(),
      [
        '"ticker","event_ticker","series","ts","venue_ts","trade_id","price","size","taker_side"',
        `${quoted},"E","S",1771992900,1771992900,"a",0.94,1,`,
        `${quoted},"E","S",1771992901.000005,1771992901,"b",0.06,93.51,"yes"`,
        '',
      ].join('\r\n'),
    );
    assert.partialDeepStrictEqual(csv.head, {
      complete: true,
      count: 2,
      has_more: false,
      sha256: createHash('sha256').update(csv.bytes).digest('hex'),
    });
    const ndjson = await readForm({ ticker, format: 'ndjson', whole: true, order: 'desc' });
    assert.deepEqual(
      ndjson.bytes
        .toString()
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as unknown),
      [
        { ts: 1771992901.000005, venue_ts: 1771992901, trade_id: 'b', price: 0.06, size: 93.51, taker_side: 'yes' },
        { ts: 1771992900, venue_ts: 1771992900, trade_id: 'a', price: 0.94, size: 1, taker_side: null },
      ],
    );
    const parquet = await readForm({ ticker, format: 'parquet', whole: true, numbers: 'float' });
    const file = new Uint8Array(parquet.bytes).buffer;
    assert.deepEqual(
      parquetTrades
        .parse(await parquetReadObjects({ file, compressors }))
        .map(({ ticker: of, trade_id, price, size, taker_side }) => [of, trade_id, price, size, taker_side]),
      [
        [ticker, 'a', 0.94, 1, null],
        [ticker, 'b', 0.06, 93.51, 'yes'],
      ],
    );
    const arrow = await readForm({ ticker, format: 'arrow', whole: true });
    assert.deepEqual([arrow.head['count'], arrow.head['complete']], [2, true]);
    assert.deepEqual(readArrow(arrow.bytes).rows, await parquetReadObjects({ file, compressors }));
  });

  it('an empty market answers no trade in every form', async () => {
    const ticker = await newMarket();
    assert.deepEqual((await read({ ticker })).body.trades, []);
    for (const whole of [true, false]) {
      const { bytes, head } = await readForm({ ticker, format: 'csv', whole });
      assert.equal(bytes.toString().split('\r\n').length, 2, 'the header only');
      assert.equal(head['count'], 0);
      assert.equal((await readForm({ ticker, format: 'ndjson', whole })).bytes.length, 0);
      const file = new Uint8Array((await readForm({ ticker, format: 'parquet', whole })).bytes).buffer;
      assert.deepEqual(await parquetReadObjects({ file, compressors }), []);
    }
  });

  it('refuses an unknown market, a wrong window, and the cursor of another listing', async () => {
    const ticker = await newMarket();
    await store(ticker, [
      { id: 'a', venueUs: startUs },
      { id: 'b', venueUs: startUs },
    ]);
    const { next_cursor: cursor } = (await read({ ticker, limit: 1 })).body;
    const refusals = [
      [{ ticker: 'NO-SUCH' }, 'market_not_found'],
      [{ ticker, start_ts: 2, end_ts: 1 }, 'invalid_window'],
      [{ ticker, start_ts: 1771993365058 }, 'invalid_window'],
      [{ ticker, order: 'desc', cursor }, 'invalid_cursor'],
      [{ ticker, cursor: 'x' }, 'invalid_cursor'],
    ] as const;
    for (const [input, code] of refusals)
      await assert.rejects(read(input), (error) => error instanceof DomainError && error.code === code, code);
  });

  it('are counted for the catalogue, each market once however many batches it has', async () => {
    const [ticker, other] = [await newMarket(), await newMarket()];
    await store(ticker, [{ id: 'a', venueUs: startUs, size: '0.1' }]);
    await store(ticker, [
      { id: 'a', venueUs: startUs, size: '0.1' },
      { id: 'b', venueUs: startUs, size: '99999999999.000002' },
    ]);
    await callers.store(other, [{ us: startUs, bid: '0.5', ask: '0.6' }]);
    await eventually(() => {
      const last = recorded.findLast((fact) => fact.kind === 'market' && fact.ticker === ticker);
      assert.partialDeepStrictEqual(last ?? {}, {
        kind: 'market',
        ticker,
        trades: { n: 2, volume: '99999999999.100002' },
      });
    });
    assert.ok(!recorded.some((fact) => fact.kind === 'market' && fact.ticker === other));
  });

  it('trades move no default window of snapshots', async () => {
    const ticker = await newMarket();
    await callers.store(ticker, [{ us: startUs, bid: '0.5', ask: '0.6' }]);
    await store(ticker, [{ id: 'a', venueUs: startUs + 86_400 * second }]);
    const { body } = await callers.snapshots({ ticker });
    assert.equal(body.end_ts, (startUs + 1) / 1e6);
  });

  it('that come later give candles as of a time no window', async () => {
    const ticker = `M-${randomUUID()}`;
    const history = [{ known_us: startUs, basis: 'venue' as const, values: { open_us: String(startUs) } }];
    await fixture.market({ ticker, open_us: startUs, history });
    await store(ticker, [{ id: 'a', venueUs: startUs + 4_000 * second }]);
    const [startS, input] = [startUs / second, { ticker, period_s: 60 }];
    const { body } = await callers.read(timeseriesRpc.candles, { ...input, as_of: startS + 60 });
    // As of a market without data and close.
    assert.deepEqual([body.candles, body.end_ts], [[], startS + 6 * 3_600]);
  });
});
