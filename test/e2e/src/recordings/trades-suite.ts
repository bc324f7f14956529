import assert from 'node:assert/strict';
import { after, before, describe, it as test } from 'node:test';
import { candlesResponse, marketDetailResponse, type Trade, tradesResponse } from '@almanac/contracts';
import type { z } from 'zod';
import { type ApiClient, poll } from '../api.js';
import { readyExport } from '../exports.js';
import { suiteSystem, type SuiteOptions, type SystemHarness } from '../harness.js';

/** A trade as its file states it, read independently of the importer. */
export interface SourceTrade {
  readonly ticker: string;
  readonly price: number;
  readonly size: number;
  readonly side: 'yes' | 'no';
  /** Integer microseconds. */
  readonly us: number;
}

/** Dumps of trades of both venues, and all of their trades. */
export interface TradeRecording {
  readonly paths: readonly string[];
  readonly trades: readonly SourceTrade[];
}

const micros = (seconds: number): number => Math.round(seconds * 1e6);
const inOrder = (trades: readonly SourceTrade[]): string[] =>
  trades.map((trade) => JSON.stringify([trade.us, trade.price, trade.size, trade.side])).toSorted();
const sourceOf =
  (ticker: string) =>
  ({ ts, price, size, taker_side: side }: Trade): SourceTrade => {
    assert.ok(side !== null);
    return { ticker, price, size, side, us: micros(ts) };
  };

/** Tests trades as users see them, from import to download: real or generated dumps. */
export const describeTrades = (name: string, { open, skip, system: shared }: SuiteOptions<TradeRecording>): void => {
  describe(name, () => {
    const it = (guarantee: string, run: () => Promise<void>): void => void test(guarantee, { skip }, run);
    let running: SystemHarness;
    let api: ApiClient;
    let markets: ReadonlyMap<string, readonly SourceTrade[]>;
    let paths: readonly string[];

    const system = suiteSystem(shared);
    if (skip === false) {
      before(async () => {
        const recording = await open();
        markets = Map.groupBy(recording.trades, ({ ticker }) => ticker);
        paths = recording.paths;
        running = await system.start();
        api = await running.client('pro');
        for (const _repeated of [1, 2]) {
          const { code, output } = await running.import(...paths);
          assert.equal(code, 0, output);
        }
      });
      after(() => system.stop());
    }

    const pagesOf = async (ticker: string, query: string): Promise<Trade[]> => {
      const found: Trade[] = [];
      for (let cursor: string | null = ''; cursor !== null;) {
        const path: string = `/markets/${ticker}/trades?limit=60&${query}&cursor=${cursor}`;
        const page: z.output<typeof tradesResponse> = await api.json(tradesResponse, path);
        found.push(...page.trades);
        cursor = page.next_cursor;
      }
      return found;
    };

    it('have every trade of the files once after two imports, page by page in both orders', async () => {
      for (const [ticker, trades] of markets) {
        const [up, down] = [await pagesOf(ticker, 'order=asc'), await pagesOf(ticker, 'order=desc')];
        assert.deepEqual(inOrder(up.map(sourceOf(ticker))), inOrder(trades));
        assert.deepEqual(down.toReversed(), up);
        for (const [index, trade] of up.entries()) assert.ok(trade.ts >= (up[index - 1]?.ts ?? 0));
      }
    });

    it('are read whole as CSV and JSON lines, with the same trades', async () => {
      for (const ticker of markets.keys()) {
        const expected = await pagesOf(ticker, '');
        const lines = await api.send(`/markets/${ticker}/trades?format=ndjson`);
        const rows = lines.bytes.toString().trimEnd().split('\n');
        assert.deepEqual(
          rows.map((row) => JSON.parse(row) as unknown),
          expected,
        );
        const csv = await api.send(`/markets/${ticker}/trades?format=csv`);
        assert.equal(csv.bytes.toString().split('\r\n').length, expected.length + 2);
        assert.equal(csv.headers.get('almanac-count'), String(expected.length));
      }
    });

    it('are counted in the detail of their market', async () => {
      for (const [ticker, trades] of markets) {
        const { volume, trades_n } = await poll(
          () => api.json(marketDetailResponse, `/markets/${ticker}`),
          (detail) => detail.trades_n === trades.length,
        );
        const expected = trades.reduce((sum, { size }) => sum + micros(size), 0) / 1e6;
        assert.deepEqual([trades_n, volume], [trades.length, expected]);
      }
    });

    it('are all in the candles of their market, with the first and last price, the extremes and the volume', async () => {
      for (const [ticker, trades] of markets) {
        const { candles } = await api.json(candlesResponse, `/markets/${ticker}/candles?points=500`);
        const listed = await pagesOf(ticker, '');
        const total = (figure: 'trades' | 'volume') =>
          candles.reduce((sum, one) => sum + micros(one[figure] ?? 0), 0) / 1e6;
        const volume = trades.reduce((sum, { size }) => sum + micros(size), 0) / 1e6;
        assert.deepEqual([total('trades'), total('volume')], [trades.length, volume]);
        const prices = candles.map(({ price }) => price);
        const all = listed.map(({ price }) => price);
        assert.deepEqual([prices[0]?.open, prices.at(-1)?.close], [all[0], all.at(-1)]);
        assert.equal(Math.max(...prices.map(({ high }) => high ?? 0)), Math.max(...all));
        assert.equal(Math.min(...prices.map(({ low }) => low ?? 1)), Math.min(...all));
        assert.deepEqual(
          prices.map(({ previous }) => previous),
          [null, ...prices.slice(0, -1).map(({ close }) => close)],
        );
      }
    });

    it('are in an export with the stream trades', async () => {
      const [ticker = ''] = markets.keys();
      const ready = await readyExport(api, { ticker, streams: ['trades', 'settlement'], format: 'json' });
      const expected = await pagesOf(ticker, '');
      assert.equal(ready.row_count, expected.length);
      const file = await api.send(`/exports/${ready.id}/file`);
      const rows: unknown = JSON.parse(file.bytes.toString());
      assert.ok(Array.isArray(rows));
      assert.partialDeepStrictEqual(
        rows,
        expected.map((trade) => ({ ticker, ...trade })),
      );
    });

    it('raise the data version, so that a cached answer is read again', async () => {
      const [ticker = ''] = markets.keys();
      const path = `/markets/${ticker}/trades?limit=1`;
      const first = await api.send(path);
      const etag = first.headers.get('etag') ?? assert.fail('no ETag');
      assert.equal((await api.send(path, { headers: { 'if-none-match': etag } })).status, 304);
      assert.equal((await running.import(...paths)).code, 0);
      const again = await poll(
        () => api.send(path, { headers: { 'if-none-match': etag } }),
        ({ status }) => status === 200,
      );
      assert.notEqual(again.headers.get('etag'), etag);
    });
  });
};
