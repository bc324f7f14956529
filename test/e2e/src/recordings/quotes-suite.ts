import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it as test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import {
  marketDetailResponse,
  marketsResponse,
  previewResponse,
  searchResponse,
  seriesResponse,
  snapshotsResponse,
} from '@almanac/contracts';
import { z } from 'zod';
import { type ApiClient, poll } from '../api.js';
import { readQuotes, readQuotesText, settledRow } from './quotes-source.js';
import { createExport, endedExport } from '../exports.js';
import { suiteSystem, type SuiteOptions, type SystemHarness } from '../harness.js';

/** Settled Bitcoin markets and quotes of four coins in a folder, with their known contents. */
export interface QuoteRecording {
  readonly folder: string;
  /** The number of markets in both files, and of those with quotes. */
  readonly markets: number;
  readonly quotedMarkets: number;
  /** A settled market whose quotes begin after its open and continue beyond its close. */
  readonly ticker: string;
  readonly event: string;
  readonly closeS: number;
  /** The first quote of that market as text of an answer. */
  readonly firstQuote: readonly string[];
}

/** Tests quotes and settled markets as users see them, from import to download: real or generated recordings. */
export const describeQuotes = (name: string, { open, skip, system: shared }: SuiteOptions<QuoteRecording>): void => {
  describe(name, () => {
    const it = (guarantee: string, run: () => Promise<void>): void => void test(guarantee, { skip }, run);
    let recording: QuoteRecording;
    let folder = '';
    let ticker = '';
    let event = '';
    let running: SystemHarness;
    let api: ApiClient;
    let second: ApiClient;
    let firstReport = '';

    const system = suiteSystem(shared, { gateways: 2 });
    if (skip === false) {
      before(async () => {
        recording = await open();
        ({ folder, ticker, event } = recording);
        running = await system.start();
        const [one, two] = await running.clients('full_book');
        assert.ok(one && two);
        api = one;
        second = two;
        const imported = await running.import(folder);
        assert.equal(imported.code, 0, imported.output);
        firstReport = imported.output;
      });
      after(() => system.stop());
    }

    const figures = async () => {
      const { markets_n, series_n, series } = await api.json(seriesResponse, '/series');
      return { markets_n, series_n, ids: series.map(({ id }) => id).toSorted() };
    };
    const everything = () => ({
      markets_n: recording.markets,
      series_n: 4,
      ids: ['KXBTC15M', 'KXETH15M', 'KXSOL15M', 'KXXRP15M'],
    });
    const snapshotsOf = (client: ApiClient, of: string, query = '') =>
      client.json(snapshotsResponse, `/markets/${of}/snapshots?step_ms=0&limit=5000${query}`);

    it('has every market of both files', async () => {
      assert.deepEqual(await figures(), everything(), firstReport);
    });

    it('returns all quotes of every market, in number and value', async () => {
      const source = readQuotes(join(folder, 'quotes_2s.csv'));
      assert.equal(source.size, recording.quotedMarkets);
      for (const [of, rows] of source) {
        const answer = await snapshotsOf(api, of);
        const seen = answer.snapshots.map((row) => ({
          ts: row.ts,
          bid: row.yes_best_bid,
          ask: row.yes_best_ask,
          coinPrice: row.coin_price,
        }));
        assert.deepEqual(seen, rows, of);
        assert.equal(answer.matched, rows.length);
        assert.equal(answer.has_more, false);
      }
    });

    it('returns the first quote exactly as recorded, without float noise', async () => {
      const { bytes } = await api.send(`/markets/${ticker}/snapshots?step_ms=0&limit=1`);
      const text = bytes.toString('utf8');
      for (const part of recording.firstQuote) {
        assert.ok(text.includes(part), `${part} is not in ${text.slice(0, 600)}`);
      }
    });

    it('has result and expiration value of the settled file, and the coin price of the quotes near the close', async () => {
      const source = settledRow(join(folder, 'settled_markets_kxbtc15m.csv'), ticker);
      const { market } = await api.json(marketDetailResponse, `/markets/${ticker}`);
      assert.equal(market.result, source['result']);
      assert.equal(market.expiration_value, Number(source['expiration_value']));
      assert.equal(market.floor_strike, Number(source['floor_strike']));
      assert.equal(market.close_ts, recording.closeS);
      assert.equal(market.status, 'finalized');
      assert.equal(market.event_ticker, event);
      assert.equal(market.shape, 'rolling');
      // The quotes begin minutes after the open and continue beyond the close.
      assert.equal(market.coin_price_start, null);
      assert.ok(market.coin_price_end !== null);
    });

    it('is found by search and by listing', async () => {
      const { hits } = await api.json(searchResponse, `/search?q=${ticker}`);
      assert.equal(hits[0]?.id, ticker);
      const { markets } = await api.json(marketsResponse, `/markets?event=${event}`);
      assert.deepEqual(
        markets.map((market) => market.ticker),
        [ticker],
      );
    });

    it('prepares a preview', async () => {
      const requestPreview = () => api.json(previewResponse, `/markets/${ticker}/preview`);
      const ready = await poll(requestPreview, (preview) => !preview.pending);
      assert.equal(ready.coverage?.prints, readQuotes(join(folder, 'quotes_2s.csv')).get(ticker)?.length);
      assert.equal(ready.chartable, true);
      assert.equal(ready.style, 'rolling');
    });

    const exported = async (format: string) => {
      const created = await createExport(api, { event, format, streams: ['snapshots', 'settlement'] });
      assert.equal(created.status, 'pending');
      assert.equal(created.bytes, 0);
      assert.equal(created.grant, 'plan');
      const ready = await endedExport(api, created.id);
      assert.equal(ready.status, 'ready', ready.error ?? '');
      const { bytes, status } = await api.send(`/exports/${ready.id}/file`);
      assert.equal(status, 200);
      assert.ok(ready.download_url);
      const signed = Buffer.from(await (await fetch(ready.download_url)).arrayBuffer());
      assert.deepEqual(signed, bytes, 'both routes give the same file');
      assert.equal(createHash('sha256').update(bytes).digest('hex'), ready.sha256);
      assert.equal(bytes.length, ready.bytes);
      return { ready, bytes };
    };
    const fileRow = z.looseObject({
      ticker: z.string(),
      ts: z.number(),
      yes_best_bid: z.number(),
      yes_best_ask: z.number(),
      coin_price: z.number(),
      result: z.string(),
      expiration_value: z.number(),
    });
    const sourceRows = () =>
      (readQuotes(join(folder, 'quotes_2s.csv')).get(ticker) ?? []).map((row) => [
        row.ts,
        row.bid,
        row.ask,
        row.coinPrice,
      ]);

    it('exports its event as csv, whose rows equal the source', async () => {
      const { ready, bytes } = await exported('csv');
      const [header = '', ...lines] = bytes.toString('utf8').trimEnd().split(/\r?\n/);
      const columns = header.replaceAll('"', '').split(',');
      const cell = (line: string, column: string) => Number(line.split(',')[columns.indexOf(column)]);
      const seen = lines.map((line) =>
        ['ts', 'yes_best_bid', 'yes_best_ask', 'coin_price'].map((column) => cell(line, column)),
      );
      assert.deepEqual(seen, sourceRows());
      assert.equal(ready.row_count, lines.length);
      assert.equal(ready.filename, `${event}_snapshots-settlement.csv`);
    });

    it('exports its event as jsonl.gz, whose rows equal the source', async () => {
      const { ready, bytes } = await exported('jsonl.gz');
      const rows = gunzipSync(bytes)
        .toString('utf8')
        .trimEnd()
        .split('\n')
        .map((line) => fileRow.parse(JSON.parse(line)));
      assert.deepEqual(
        rows.map((row) => [row.ts, row.yes_best_bid, row.yes_best_ask, row.coin_price]),
        sourceRows(),
      );
      assert.equal(ready.row_count, rows.length);
      assert.equal(rows[0]?.result, settledRow(join(folder, 'settled_markets_kxbtc15m.csv'), ticker)['result']);
    });

    it('changes no count when it is imported again', async () => {
      const before_ = (await snapshotsOf(api, ticker)).matched;
      const again = await running.import(folder);
      assert.equal(again.code, 0, again.output);
      assert.deepEqual(await figures(), everything(), again.output);
      assert.equal((await snapshotsOf(second, ticker)).matched, before_);
    });

    it('shows late rows on two gateways that cached the old response, and exports them under another hash', async () => {
      const { ready: old } = await exported('csv');
      const known = await Promise.all([api, second].map((client) => snapshotsOf(client, ticker)));
      const late = join(running.system.home, 'late.csv');
      await writeFile(late, `${lateHeader(folder)}\n${lateLine(folder, ticker)}\n`);
      const imported = await running.import(late);
      assert.equal(imported.code, 0, imported.output);
      await poll(
        () => Promise.all([api, second].map((client) => snapshotsOf(client, ticker))),
        (answers) => answers.every(({ matched }, index) => matched === (known[index]?.matched ?? 0) + 1),
      );
      const { ready: fresh } = await exported('csv');
      assert.notEqual(fresh.sha256, old.sha256);
      assert.equal(fresh.row_count, (old.row_count ?? 0) + 1);
    });
  });
};

const quoteLines = (from: string): string[] => readQuotesText(join(from, 'quotes_2s.csv'));
const lateHeader = (from: string): string => quoteLines(from)[0] ?? '';

/** Repeats the first quote of the market half a second later, as a row that the recording does not have. */
const lateLine = (from: string, of: string): string => {
  const line = quoteLines(from).find((candidate) => candidate.includes(of)) ?? '';
  const cells = line.split(',');
  const unix = Number(cells[1]);
  return [new Date((unix + 0.5) * 1_000).toISOString(), (unix + 0.5).toFixed(6), ...cells.slice(2)].join(',');
};
