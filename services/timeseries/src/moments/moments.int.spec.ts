import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { DomainError, timeseriesRpc } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { lastKnown, openUs, randomMarket, valueOf } from '../testing/random-market.js';
import { startHarness, type TimeseriesHarness } from '../testing/harness.js';

const { book, marketsAt } = timeseriesRpc;
const second = 1_000_000;
const fullBook = { plan: 'full_book' };

const isRefusal = (code: string, sentence: RegExp) => (error: unknown) => {
  assert.ok(error instanceof DomainError, String(error));
  assert.equal(error.code, code);
  assert.match(error.detail, sentence);
  return true;
};

describe('reads at a moment', () => {
  let tested: TimeseriesHarness;
  before(async () => {
    tested = await startHarness();
    await tested.fixture.series({ id: 'S', shape: 'rolling' });
  });
  after(() => tested.stop());

  /** Times around rows, gaps and at random, where an answer can be wrong by a microsecond. */
  const momentsOf = (random: () => number, market: Awaited<ReturnType<typeof randomMarket>>): number[] => {
    const edges = [...market.rows.map(({ us }) => us), ...market.gaps.flat(), market.closeUs];
    return Array.from({ length: 40 }, () => {
      const edge = edges[Math.floor(random() * edges.length)] ?? openUs;
      return random() < 0.7 ? edge + Math.floor(random() * 3) - 1 : edge + Math.floor((random() - 0.5) * 90 * second);
    });
  };

  it('are the last observation at or before each moment, and nothing after a gap (property)', async () => {
    for (const seed of [1, 2]) {
      const random = seededRandom(seed);
      const markets = [await randomMarket(tested, random), await randomMarket(tested, random)];
      const moments = [...new Set(markets.flatMap((market) => momentsOf(random, market)))];
      const tickers = markets.map(({ ticker }) => ticker);
      const { body } = await tested.callers.read(marketsAt, { tickers, at_ts: moments.map((us) => us / 1e6) });
      const expected = markets.flatMap((market) =>
        moments.map((us) => {
          const row = lastKnown(market, us);
          return {
            ticker: market.ticker,
            at_ts: us / 1e6,
            ts: row === undefined ? null : row.us / 1e6,
            age_ms: row === undefined ? null : (us - row.us) / 1_000,
            venue_ts: null,
            seq: row?.seq ?? null,
            yes_best_bid: valueOf(row?.bid),
            yes_best_ask: valueOf(row?.ask),
            coin_price: valueOf(row?.price),
          };
        }),
      );
      assert.deepEqual(body, { count: expected.length, has_more: false, snapshots: expected }, `seed ${seed}`);
    }
  });

  it('are answered for 10,000 pairs, in any order of the times', async () => {
    const random = seededRandom(6);
    const markets = [];
    for (let count = 0; count < 10; count += 1) markets.push(await randomMarket(tested, random));
    const moments = new Set<number>();
    while (moments.size < 1_000) moments.add(openUs + Math.floor((random() * 720 - 60) * second));
    const tickers = markets.map(({ ticker }) => ticker);
    const at_ts = [...moments].map((us) => us / 1e6);
    const { body } = await tested.callers.read(marketsAt, { tickers, at_ts, fields: ['seq'] });
    const expected = markets.flatMap((market) => [...moments].map((us) => lastKnown(market, us)?.seq ?? null));
    assert.ok(markets.some(({ gaps }) => gaps.length > 0));
    assert.deepEqual(
      body.snapshots.map(({ seq }) => seq),
      expected,
    );
  });

  it('give the last book at or before a moment, with its age, basis and depth (property)', async () => {
    for (const seed of [11, 12]) {
      const random = seededRandom(seed);
      const market = await randomMarket(tested, random);
      for (const us of momentsOf(random, market).slice(0, 12)) {
        const { body } = await tested.callers.read(
          book,
          { ticker: market.ticker, at_ts: us / 1e6, depth: 1 },
          fullBook,
        );
        const row = lastKnown(market, us);
        const level = /\[\(([\d.]+),(\d+)\)/.exec(row?.book?.yes ?? '');
        assert.deepEqual(
          { ts: body.ts, age_ms: body.age_ms, in_gap: body.in_gap, orderbook_yes: body.orderbook_yes },
          {
            ts: row === undefined ? null : row.us / 1e6,
            age_ms: row === undefined ? null : (us - row.us) / 1_000,
            in_gap: market.gaps.some(([startUs, endUs]) => startUs < us && us < endUs),
            orderbook_yes: row === undefined ? null : [[Number(level?.[1]), Number(level?.[2])]],
          },
          `seed ${seed}, ${us}`,
        );
        const isRecorded = row !== undefined && row.us >= openUs && row.us <= market.closeUs;
        const isInSpan = isRecorded && !market.gaps.some(([startUs, endUs]) => startUs < row.us && row.us < endUs);
        assert.equal(body.basis, row === undefined ? null : isInSpan ? 'sampled' : 'snapshot');
      }
    }
  });

  it('give the basis every_change only while each change up to the moment is stored', async () => {
    const ticker = 'M-EVERY-CHANGE';
    const closeUs = openUs + 100 * second;
    await tested.fixture.market({
      ticker,
      series: 'S',
      event_ticker: 'E-EVERY-CHANGE',
      open_us: openUs,
      close_us: closeUs,
    });
    const rowAt = (us: number) => ({ us, bid: '0.4', ask: '0.5', book: { yes: '[(0.4,1)]', no: '[(0.5,1)]' } });
    await tested.callers.store(
      ticker,
      [5, 25, 45, 75].map((at) => rowAt(openUs + at * second)),
    );
    const spanOf = (from: number, to: number) => [openUs + from * second, openUs + to * second] as const;
    const basisAt = async (at: number) =>
      (await tested.callers.read(book, { ticker, at_ts: openUs / 1e6 + at }, fullBook)).body.basis;
    // Two recordings of every change that follow each other, a sampled one, and one of unknown kind.
    await tested.callers.spans(ticker, [spanOf(0, 20), spanOf(20, 40)], 'l2', 1);
    await tested.callers.spans(ticker, [spanOf(40, 60)], 'l2', second);
    await tested.callers.spans(ticker, [spanOf(60, 100)]);
    assert.equal(await basisAt(5), 'every_change');
    assert.equal(await basisAt(24), 'every_change');
    assert.equal(await basisAt(40), 'every_change');
    assert.equal(await basisAt(41), 'sampled');
    assert.equal(await basisAt(50), 'sampled');
    assert.equal(await basisAt(80), 'sampled');
    // The same time, recorded with every change. A book does not change after the close.
    await tested.callers.spans(ticker, [spanOf(40, 99), spanOf(99, 100)], 'l2', 1);
    for (const at of [41, 80, 100, 5_000]) assert.equal(await basisAt(at), 'every_change', `at ${at}`);
  });

  it('keep the rules of books: another plan gets the times without levels, and a notice', async () => {
    const market = await randomMarket(tested, seededRandom(21));
    const at_ts = (market.rows[0]?.us ?? 0) / 1e6;
    const free = await tested.callers.read(book, { ticker: market.ticker, at_ts });
    assert.deepEqual([free.body.ts, free.body.include_book], [at_ts, false]);
    assert.deepEqual([free.body.orderbook_yes, free.body.orderbook_no], [null, null]);
    assert.match(free.body.notice ?? '', /full_book/);
    assert.equal(free.meta.notices?.[0]?.code, 'books_not_included');
    await tested.fixture.unlock('a1', market.event);
    const unlocked = await tested.callers.read(book, { ticker: market.ticker, at_ts });
    assert.ok((unlocked.body.orderbook_yes ?? []).length > 0);
  });

  it('have CSV, JSON lines and Parquet', async () => {
    const market = await randomMarket(tested, seededRandom(22));
    const at_ts = [market.closeUs / 1e6 + 3_600];
    const input = { tickers: [market.ticker], at_ts, fields: ['seq' as const] };
    const json = await tested.callers.read(marketsAt, input);
    const csv = await tested.callers.bytes(marketsAt, { ...input, format: 'csv' });
    const lines = await tested.callers.bytes(marketsAt, { ...input, format: 'ndjson' });
    const parquet = await tested.callers.bytes(marketsAt, { ...input, format: 'parquet' });
    const [row] = json.body.snapshots;
    assert.equal(
      csv.bytes.toString(),
      `"ticker","at_ts","ts","age_ms","seq"\r\n"${market.ticker}",${row?.at_ts},${row?.ts ?? ''},${row?.age_ms ?? ''},${row?.seq ?? ''}\r\n`,
    );
    assert.deepEqual(JSON.parse(lines.bytes.toString()), row);
    assert.equal(parquet.bytes.subarray(0, 4).toString(), 'PAR1');
    for (const { meta } of [csv, lines, parquet]) assert.deepEqual(meta.head, { count: 1, has_more: false });
  });

  it('refuse bad moments, too many pairs and unknown markets', async () => {
    const { ticker } = await randomMarket(tested, seededRandom(23));
    const at = (at_ts: number[], tickers = [ticker]) => tested.callers.read(marketsAt, { tickers, at_ts });
    await assert.rejects(at([1_771_993_365_058]), isRefusal('invalid_window', /looks like milliseconds/));
    await assert.rejects(at([-1]), isRefusal('invalid_window', /at_ts must be between/));
    await assert.rejects(at([1], [ticker, 'NO-SUCH']), isRefusal('market_not_found', /NO-SUCH/));
    const many = Array.from({ length: 101 }, (_, index) => index + 1);
    const tickers = Array.from({ length: 100 }, (_, index) => `T-${index}`);
    await assert.rejects(at(many, tickers), isRefusal('invalid_input', /10,100 pairs/));
    await assert.rejects(
      tested.callers.read(book, { ticker, at_ts: 1_771_993_365_058 }),
      isRefusal('invalid_window', /looks like milliseconds/),
    );
  });
  it('count a repeated moment once, in the order of the request', async () => {
    const { ticker } = await randomMarket(tested, seededRandom(24));
    const { body } = await tested.callers.read(marketsAt, { tickers: [ticker, ticker], at_ts: [30, 10, 30] });
    assert.deepEqual(
      body.snapshots.map(({ at_ts, ts }) => [at_ts, ts]),
      [
        [30, null],
        [10, null],
      ],
    );
  });
});
