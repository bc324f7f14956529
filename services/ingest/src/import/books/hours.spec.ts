import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { importFiles } from '../testing/import-files.js';
import { bookRow, hourCatalogue, hourFile, type HourRow, hourRows, marketOf, oldHourFile } from '../testing/hours.js';
import { gapsIn } from '../testing/memory-archive.js';

const startMs = Date.UTC(2026, 7, 10, 12);
const hourMs = 3_600_000;
const minute = 60_000;
const nameOf = (hour: number): string => `polymarket_orderbook_2026-08-10T${hour}.parquet`;
const generated = { startMs, markets: 3, everyMs: 30_000 };
const catalogue = { 'gamma.jsonl': hourCatalogue(3) };
const silent = 'the hour has no rows of any market in this time';

const { condition, yes, no, ticker } = marketOf(0);
const others: readonly HourRow[] = [
  {
    received: startMs + 5_500,
    market: condition,
    token: yes,
    kind: 'last_trade_price',
    price: '0.52',
    size: '2.5',
    side: 'BUY',
    hash: '0xh1',
  },
  { received: startMs + 7_500, market: condition, token: yes, kind: 'tick_size_change', newTick: '0.001' },
  {
    received: startMs + 8_500,
    market: condition,
    token: no,
    kind: 'last_trade_price',
    price: '0.48',
    size: '1',
    side: 'SELL',
    hash: '0xh2',
  },
];
const byPlace = (a: HourRow, b: HourRow): number =>
  a.market.localeCompare(b.market) || a.token.localeCompare(b.token) || a.received - b.received;
const rows = [...hourRows(generated), ...others].toSorted(byPlace);

/** The rows of the tokens that come first, as recorded messages of the websocket. */
const framesOf = (given: readonly HourRow[]): string =>
  given
    .filter(({ token, kind }) => token.endsWith('0') || kind === 'last_trade_price')
    .toSorted((a, b) => a.received - b.received)
    .map(({ received, market, token: asset_id, kind, bids, asks, price, size, side, ...row }) => {
      const levels = (list = '[]') =>
        (JSON.parse(list) as [string, string][]).map(([at, of]) => ({ price: at, size: of }));
      const head = { event_type: kind, market, asset_id, timestamp: String(received - 7) };
      const tops = { best_bid: row.bestBid, best_ask: row.bestAsk };
      const messages = {
        book: { ...head, bids: levels(bids), asks: levels(asks) },
        price_change: { ...head, price_changes: [{ asset_id, price, size, side, ...tops }] },
        last_trade_price: { ...head, price, size, side, transaction_hash: row.hash },
        tick_size_change: { ...head, new_tick_size: row.newTick },
      };
      return `{"recv_ts_ns":${received}000000,"raw":${JSON.stringify(JSON.stringify(messages[kind]))}}`;
    })
    .join('\n');

describe('an hour of books', () => {
  it('gives the books, trades and tick sizes that its messages as frames give', async () => {
    const hour = await importFiles({ ...catalogue, [nameOf(12)]: hourFile(rows) });
    const frames = await importFiles({ ...catalogue, 'frames.jsonl': framesOf(rows) });
    const [, report] = hour.reports;
    assert.deepEqual(
      [report?.mapping, report?.error, report?.refusals, report?.rowsRead],
      ['Polymarket hours', null, 0, rows.length],
    );
    assert.equal(hour.rows.size, 3 * 120);
    assert.deepEqual(hour.rows, frames.rows);
    assert.deepEqual(hour.trades, frames.trades);
    assert.equal(hour.trades.get(`${ticker} 0xh2-yes-0.52-1`)?.price, '0.52');
    assert.ok(JSON.stringify(hour.things.get(`market ${ticker}`)).includes('0.001'));
    assert.deepEqual([gapsIn(hour), hour.spans.size], [[], 3]);
  });

  it('may be of version 1, sorted by time, or have its market as text', async () => {
    const expected = await importFiles({ ...catalogue, [nameOf(12)]: hourFile([...hourRows(generated)]) });
    const inTime = [...hourRows(generated)].toSorted((a, b) => a.received - b.received);
    for (const file of [oldHourFile([...hourRows(generated)]), oldHourFile(inTime), hourFile(inTime)]) {
      const { rows: given, reports, spans } = await importFiles({ ...catalogue, [nameOf(12)]: file });
      assert.deepEqual([reports[1]?.error, reports[1]?.refusals], [null, 0]);
      assert.deepEqual(given, expected.rows);
      assert.deepEqual(gapsIn({ spans }), []);
    }
  });

  it('has gaps exactly where times without any row were taken out, in every market', async () => {
    const lost = [
      [10 * minute, 11 * minute],
      [30 * minute + 15_000, 32 * minute + 46_000],
    ] as const;
    const taken = [...hourRows({ ...generated, everyMs: 2_000, lost })];
    const expected = Array.from({ length: 3 }, (_, market) =>
      lost.map(([from, to]) => {
        const us = (ms: number): number => (startMs + ms) * 1_000;
        const before = Math.max(...taken.map(({ received }) => received - startMs).filter((at) => at < from));
        return { ticker: marketOf(market).ticker, startUs: us(before), endUs: us(to + market), reason: silent };
      }),
    ).flat();
    for (const sampleUs of [1, 1_000_000]) {
      const { spans, reports } = await importFiles({ ...catalogue, [nameOf(12)]: hourFile(taken) }, { sampleUs });
      const gaps = gapsIn({ spans }).map(({ ticker: of, startUs, endUs, reason }) => ({
        ticker: of,
        startUs,
        endUs,
        reason,
      }));
      if (sampleUs === 1) assert.deepEqual(gaps, expected);
      assert.deepEqual([gaps.length, reports[1]?.books?.gaps, reports[1]?.refusals], [6, 6, 0]);
    }
    const inTime = taken.toSorted((a, b) => a.received - b.received);
    const { spans } = await importFiles({ ...catalogue, [nameOf(12)]: hourFile(inTime) });
    assert.deepEqual(
      gapsIn({ spans }).map(({ ticker: of, startUs }) => [of, startUs]),
      expected.map(({ ticker: of, startUs }) => [of, startUs]),
    );
  });

  it('goes on in the next hour, and a missing or empty hour is a gap of every market around it', async () => {
    const hour = (offset: number, hasBooks: boolean): Buffer =>
      hourFile([...hourRows({ ...generated, startMs: startMs + offset * hourMs, hasBooks })]);
    const whole = await importFiles({ ...catalogue, [nameOf(13)]: hour(1, false), [nameOf(12)]: hour(0, true) });
    assert.deepEqual([gapsIn(whole), whole.spans.size, whole.rows.size], [[], 3, 3 * 240]);
    for (const [empty, reason] of [
      [{}, 'the recording has no rows of the hour 2026-08-10T13'],
      [{ [nameOf(13)]: hourFile([]) }, 'the recording has no rows of the hour 2026-08-10T13'],
    ] as const) {
      const holed = await importFiles({
        ...catalogue,
        [nameOf(12)]: hour(0, true),
        ...empty,
        [nameOf(14)]: hour(2, true),
      });
      const lastUs = (startMs + hourMs - 30_000 + 3) * 1_000;
      assert.deepEqual(
        gapsIn(holed).map((gap) => [gap.ticker, gap.startUs, gap.endUs, gap.reason]),
        [0, 1, 2].map((market) => [marketOf(market).ticker, lastUs, (startMs + 2 * hourMs + market) * 1_000, reason]),
      );
    }
  });

  it('goes on after an hour in which a market has no row, and not after an hour with a loss', async () => {
    const quiet = (lost: readonly (readonly [number, number])[]): Buffer =>
      hourFile([...hourRows({ ...generated, everyMs: 2_000, startMs: startMs + hourMs, lost, markets: 2 })]);
    const third = (offset: number, hasBooks: boolean) =>
      hourFile([...hourRows({ ...generated, startMs: startMs + offset * hourMs, hasBooks })]);
    const around = { ...catalogue, [nameOf(12)]: third(0, true), [nameOf(14)]: third(2, false) };
    const whole = await importFiles({ ...around, [nameOf(13)]: quiet([]) });
    assert.deepEqual([gapsIn(whole), whole.spans.size], [[], 3]);
    const holed = await importFiles({ ...around, [nameOf(13)]: quiet([[10 * minute, 11 * minute]]) });
    const gaps = gapsIn(holed).filter((gap) => gap.ticker === marketOf(2).ticker);
    assert.deepEqual(
      gaps.map(({ endUs, reason }) => [endUs, reason]),
      [[null, silent]],
    );
  });

  it('without the market of a token names it once, and counts all of its rows', async () => {
    const { report, refused } = await importFiles({ [nameOf(12)]: hourFile(rows) });
    assert.deepEqual([...report.refused], [['the token belongs to no known market', rows.length]]);
    assert.equal(refused.length, 6);
  });

  it('that is not sorted is refused with a remedy', async () => {
    const mixed = [...rows.slice(200), ...rows.slice(0, 200)].map((row, at) => ({
      ...row,
      market: at % 2 === 0 ? condition : row.market,
    }));
    const { reports } = await importFiles({ ...catalogue, [nameOf(12)]: hourFile(mixed) });
    assert.match(reports[1]?.error ?? '', /sorted neither by market nor by time\. Sort them by/);
  });

  it('refuses one change before the first book of a market, and a best price that contradicts ends its span', async () => {
    const late = [...hourRows({ ...generated, markets: 1, hasBooks: false })].slice(0, 120);
    const book = bookRow({
      received: startMs + 1_800_001,
      market: condition,
      token: yes,
      bestBid: '0.5',
      bestAsk: '0.52',
    });
    const wrong: HourRow = {
      received: startMs + hourMs - 1,
      market: condition,
      token: yes,
      kind: 'price_change',
      price: '0.1',
      size: '1',
      side: 'BUY',
      bestBid: '0.6',
      bestAsk: '0.7',
    };
    const { reports, spans } = await importFiles({
      ...catalogue,
      [nameOf(12)]: hourFile([...late, book, wrong].toSorted(byPlace)),
    });
    assert.deepEqual([reports[1]?.refusals, reports[1]?.messages?.notApplied], [1, 60]);
    assert.deepEqual(
      gapsIn({ spans }).map(({ reason }) => reason),
      ['the change comes before the snapshot of its market', 'the venue states another best bid or ask'],
    );
  });

  it('with a damaged page gives the markets before it, and the others do not go on after it', async () => {
    const second = hourFile([...hourRows({ ...generated, startMs: startMs + hourMs, hasBooks: false })]);
    // The first page of the second row group.
    const damaged = Buffer.from(second);
    const at = damaged.indexOf(Buffer.from('price_change'), Math.floor(second.length * 0.5));
    damaged.fill(0xff, at - 200, at - 100);
    const third = hourFile([...hourRows({ ...generated, startMs: startMs + 2 * hourMs, hasBooks: false })]);
    const first = hourFile([...hourRows(generated)]);
    const result = await importFiles({ ...catalogue, [nameOf(12)]: first, [nameOf(13)]: damaged, [nameOf(14)]: third });
    const [, , report] = result.reports;
    assert.match(report?.error ?? '', /page/);
    assert.deepEqual(gapsIn(result).at(-1)?.reason, 'the rest of the hour cannot be read');
    assert.equal(result.reports.filter(({ error }) => error !== null).length, 1);
  });
});
