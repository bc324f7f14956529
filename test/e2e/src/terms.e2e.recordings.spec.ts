import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it as test } from 'node:test';
import { gunzipSync } from 'node:zlib';
import { type Market, marketDetailResponse, marketsResponse } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';
import { recording } from '@almanac/testing';
import { z } from 'zod';
import type { ApiClient } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';

const settlements = recording('data/kalshi-settlements');
const rules = recording('data/kalshi-rules');
const rest = recording('data/kalshi-rest');
const skip = settlements.skip || rules.skip || rest.skip;

const textOf = (path: string): string => {
  const bytes = readFileSync(path);
  return (path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8');
};

const settlement = z.object({
  ticker: z.string(),
  event_ticker: z.string(),
  close_time: z.string(),
  settlement_ts: z.string().nullable(),
  expiration_value: z.string().nullable(),
  settlement_value: z.number().nullable(),
  result: z.string(),
  captured_at: z.string(),
});
const marketObject = z.object({
  ticker: z.string(),
  status: z.string(),
  created_time: z.string(),
  open_time: z.string(),
  close_time: z.string(),
  rules_primary: z.string(),
  rules_secondary: z.string(),
  price_ranges: z.array(z.object({ start: z.string(), end: z.string(), step: z.string() })),
});
const rulesFile = z.array(z.object({ markets: z.array(marketObject) }));
const answer = z.object({
  _metadata: z.object({ recorded_at: z.string() }),
  response: z.object({ market: marketObject.optional(), markets: z.array(marketObject).default([]) }),
});
const feesFile = z.object({
  _metadata: z.object({ recorded_at: z.string() }),
  response: z.object({
    series: z.array(z.object({ ticker: z.string(), fee_type: z.string(), fee_multiplier: z.number() })),
  }),
});

const ledgers = ['settlement_ledger_2026-07-17.jsonl.gz', 'settlement_ledger_2026-07-22.jsonl.gz'].map((name) =>
  join(settlements.path, name),
);
const ruleFiles = ['events.json.gz', 'kalshi_spread_events.json.gz'].map((name) => join(rules.path, name));
const inRest = (...names: readonly string[]) => names.map((name) => join(rest.path, `${name}.json`));
const marketFiles = inRest('market_single', 'markets_list', 'event_single');
const seriesFile = join(rest.path, 'series_list.json');
const otherFiles = inRest('series_single', 'events_list');

/** A time with microseconds as the API shows it. Read independently of the importer. */
const seconds = (iso: string): number => {
  const [, whole = '', fraction = '', zone = ''] = /^(.{19})(?:\.(\d+))?(Z|\+00:00)$/.exec(iso) ?? [];
  assert.notEqual(zone, '', iso);
  return Number(`${Date.parse(`${whole}Z`) / 1_000}.${fraction.slice(0, 6)}`);
};
/** A market of a multi-game parlay has no rules of its own. */
const ruleText = (market: z.output<typeof marketObject>): string | null =>
  [market.rules_primary, market.rules_secondary].filter((text) => text.trim() !== '').join('\n\n') || null;

type Detail = z.output<typeof marketDetailResponse>;

/** All markets of an archive with their details, by several accounts, because each has a limit of requests. */
const archiveOf = async (running: SystemHarness) => {
  const clients = await Promise.all([1, 2, 3].map(() => running.client('full_book')));
  const [api] = clients;
  assert.ok(api);
  const details = new Map<string, Detail>();
  const { markets, cursor } = await changes(api, '');
  const chosen = markets.map(({ ticker }, index) => ({ ticker, client: clients[index % clients.length] ?? api }));
  await forEachConcurrent(chosen, 8, async ({ ticker, client }) => {
    details.set(ticker, await client.json(marketDetailResponse, `/markets/${encodeURIComponent(ticker)}`));
  });
  return { api, markets, cursor, details };
};

const changes = async (api: ApiClient, from: string): Promise<{ markets: Market[]; cursor: string }> => {
  const markets: Market[] = [];
  for (let cursor = from; ;) {
    const page = await api.json(marketsResponse, `/markets?changed_since_ts=0&limit=200&cursor=${cursor}`);
    markets.push(...page.markets);
    cursor = page.next_cursor ?? '';
    if (!page.has_more) return { markets, cursor };
  }
};

describe('the real settlements, rules, price steps and fees', () => {
  const it = (guarantee: string, run: () => Promise<void>): void => void test(guarantee, { skip }, run);
  let folder: string;
  let running: SystemHarness;
  let archive: Awaited<ReturnType<typeof archiveOf>>;
  const files = [...ledgers, ...ruleFiles, ...marketFiles, seriesFile, ...otherFiles];
  const detailOf = (ticker: string): Detail => {
    const detail = archive.details.get(ticker);
    assert.ok(detail, ticker);
    return detail;
  };

  if (skip === false) {
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'almanac-terms-'));
      // No recorded market belongs to the series with fees, so each gets one.
      const markets = feesFile.parse(JSON.parse(textOf(seriesFile))).response.series.map(({ ticker }) =>
        JSON.stringify({
          ticker: `${ticker}-FEE`,
          event_ticker: `${ticker}-FEE`,
          series_ticker: ticker,
          close_time: '2026-01-13T00:00:00Z',
          status: 'active',
        }),
      );
      await writeFile(join(folder, 'markets.jsonl'), markets.join('\n'));
      files.push(join(folder, 'markets.jsonl'));
      running = await startHarness();
      const { code, output } = await running.import(...files);
      assert.equal(code, 0, output);
      archive = await archiveOf(running);
    });
    after(async () => {
      await running.stop();
      await rm(folder, { recursive: true });
    });
  }

  it('have every settlement with the time when it was known', async () => {
    const rows = ledgers.flatMap((path) =>
      textOf(path)
        .split('\n')
        .filter((line) => line.trim() !== '')
        .map((line) => settlement.parse(JSON.parse(line))),
    );
    assert.equal(rows.length, 10_605);
    for (const row of rows) {
      const { market, history, settlement_value: paid } = detailOf(row.ticker);
      const known = { known_ts: seconds(row.captured_at), basis: 'recorded' };
      assert.deepEqual(history, [
        { field: 'close_ts', value: seconds(row.close_time), ...known },
        { field: 'result', value: row.result, ...known },
        ...(row.settlement_value === null
          ? []
          : [{ field: 'settlement_value', value: row.settlement_value, ...known }]),
      ]);
      const value = Number(row.expiration_value ?? 'none');
      assert.deepEqual(
        [market.result, paid, market.settlement_ts, market.expiration_value, market.event_ticker],
        [
          row.result,
          row.settlement_value,
          row.settlement_ts === null ? null : seconds(row.settlement_ts),
          Number.isNaN(value) ? null : value,
          row.event_ticker,
        ],
        row.ticker,
      );
    }
  });

  it('have every rule and price step, known from the creation of the market', async () => {
    const markets = ruleFiles
      .slice(1)
      .flatMap((path) => rulesFile.parse(JSON.parse(textOf(path))).flatMap((entry) => entry.markets));
    assert.equal(markets.length, 1_013);
    for (const market of markets) checkTerms(market, { known_ts: seconds(market.created_time), basis: 'venue' });
  });

  it('have the receipt of a recorded answer as the time when its terms were known', async () => {
    let checked = 0;
    for (const path of marketFiles) {
      const { _metadata: metadata, response } = answer.parse(JSON.parse(textOf(path)));
      for (const market of [...response.markets, ...(response.market ? [response.market] : [])]) {
        // A market of two answers is known from the first receipt.
        const known_ts = Math.min(seconds(metadata.recorded_at), detailOf(market.ticker).tick_size?.known_ts ?? 0);
        assert.ok(seconds(metadata.recorded_at) - known_ts < 1);
        checkTerms(market, { known_ts, basis: 'recorded' });
        checked += 1;
      }
    }
    assert.equal(checked, 7);
  });

  const checkTerms = (market: z.output<typeof marketObject>, known: { known_ts: number; basis: string }): void => {
    const detail = detailOf(market.ticker);
    assert.equal(detail.rules?.text ?? null, ruleText(market)?.trim() ?? null);
    const [range] = market.price_ranges;
    assert.deepEqual(detail.tick_size, {
      value: Number(range?.step),
      ranges: market.price_ranges.map(({ start, end, step }) => ({
        start: Number(start),
        end: Number(end),
        step: Number(step),
      })),
      valid_from_ts: known.known_ts,
      ...known,
    });
    const status = detail.history.filter(({ field }) => field === 'venue_status');
    const statusTime = known.basis === 'recorded' ? known.known_ts : seconds(market.open_time);
    assert.deepEqual(status, [{ ...known, field: 'venue_status', value: market.status, known_ts: statusTime }]);
  };

  it('have the fee of every series in the details of its markets', async () => {
    const { _metadata: metadata, response } = feesFile.parse(JSON.parse(textOf(seriesFile)));
    assert.equal(response.series.length, 241);
    const known_ts = seconds(metadata.recorded_at);
    for (const { ticker, fee_type: type, fee_multiplier: multiplier } of response.series)
      assert.deepEqual(detailOf(`${ticker}-FEE`).fee, {
        type,
        multiplier,
        valid_from_ts: known_ts,
        known_ts,
        basis: 'recorded',
      });
  });

  it('do not change when they are imported again', async () => {
    const { code, output } = await running.import(...files.toReversed());
    assert.equal(code, 0, output);
    assert.deepEqual((await changes(archive.api, archive.cursor)).markets, []);
  });

  it('are the same in an archive that imported each file alone, in the opposite order', async () => {
    const other = await startHarness();
    try {
      for (const file of files.toReversed()) {
        const { code, output } = await other.import(file);
        assert.equal(code, 0, output);
      }
      const { details } = await archiveOf(other);
      assert.equal(details.size, archive.details.size);
      for (const [ticker, { rules: text, tick_size, fee, history, market }] of details) {
        const expected = detailOf(ticker);
        assert.deepEqual(
          [text, tick_size, fee, history],
          [expected.rules, expected.tick_size, expected.fee, expected.history],
        );
        const { status, result, close_ts, open_ts, floor_strike } = market;
        assert.partialDeepStrictEqual(expected.market, { status, result, close_ts, open_ts, floor_strike });
      }
    } finally {
      await other.stop();
    }
  });
});
