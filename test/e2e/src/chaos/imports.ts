import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { gunzipSync } from 'node:zlib';
import { exportResponse, snapshotsResponse } from '@almanac/contracts';
import { z } from 'zod';
import type { ApiClient } from '../api.js';
import { assertFileStored, isReady } from './files.js';
import { answerOf, oneOf, retryUntilFinal, type RetryContext, sendWithIdempotencyKey } from './retry.js';
import { runIngest, type RunningProgram } from './run-program.js';

/** Time in microseconds, bid and ask. */
type Row = readonly [number, number, number];

export interface ImportedMarket {
  readonly ticker: string;
  readonly rows: readonly Row[];
}

export interface ImportContext extends RetryContext {
  readonly home: string;
  readonly apis: readonly ApiClient[];
  /** Markets whose import ended with the exit code 0. */
  readonly imported: ImportedMarket[];
  readonly exported: { readonly id: string; readonly market: ImportedMarket }[];
}

const mapping = `name: chaos
format: csv
match: { columns: [chaos_ticker, ts_us] }
fields:
  ticker: { column: chaos_ticker }
  event_ticker: { ticker: '^(.+)-M[0-9]$' }
  series: { constant: CHAOS }
  category: { constant: chaos }
  open_ts: { column: open_us, unit: us }
  close_ts: { column: close_us, unit: us }
  ts: { column: ts_us, unit: us }
  yes_best_bid: { column: bid }
  yes_best_ask: { column: ask }
`;
const marketsOfFile = 3;
const rowsOfMarket = 900;
const hourUs = 3_600_000_000;
const attemptsMax = 40;
const pauseMs = 1_000;

/** Imports files, each until it is stored, and kills some imports. Then reads and exports what is stored. */
export const importUntil = async (context: ImportContext, isOver: () => boolean): Promise<void> => {
  await writeFile(join(context.home, '..', 'chaos.yaml'), mapping);
  for (let file = 1; !isOver(); file += 1) {
    const markets = Array.from({ length: marketsOfFile }, (_, at) => generatedMarket(context, `CHAOS-${file}-M${at}`));
    await importFile(context, `chaos-${file}.csv`, markets);
    context.imported.push(...markets);
    await readOne(context);
    await exportOne(context, oneOf(context, markets));
    await delay(pauseMs);
  }
};

const generatedMarket = ({ random }: RetryContext, ticker: string): ImportedMarket => {
  const beginUs = Math.floor(Date.now() / 1_000 - 7_200) * 1_000_000;
  const rows = Array.from({ length: rowsOfMarket }, (_, at): Row => {
    const bid = Math.floor(random() * 90);
    return [beginUs + at * 1_000_000 + Math.floor(random() * 1_000_000), bid / 100, (bid + 5) / 100];
  });
  return { ticker, rows };
};

const importFile = async (context: ImportContext, name: string, markets: readonly ImportedMarket[]): Promise<void> => {
  // Beside the home, whose disk may be full.
  const folder = join(context.home, '..');
  const lines = markets.flatMap(({ ticker, rows }) => {
    const beginUs = Math.floor((rows[0]?.[0] ?? 0) / 1e6) * 1e6;
    return rows.map((row) => [ticker, beginUs, beginUs + hourUs, ...row].join());
  });
  await writeFile(join(folder, name), ['chaos_ticker,open_us,close_us,ts_us,bid,ask', ...lines, ''].join('\n'));
  let output = '';
  for (let attempt = 0; attempt < attemptsMax; attempt += 1) {
    context.over.signal.throwIfAborted();
    const args = [join(folder, name), '--mapping', join(folder, 'chaos.yaml')];
    const importer = runIngest('main', args, { ALMANAC_HOME: context.home });
    const stopKill = attempt === 0 && context.random() < 0.3 ? killSoon(context, importer) : () => undefined;
    const code = await importer.ended;
    stopKill();
    if (code === 0) return;
    output = importer.output();
    await delay(500);
  }
  assert.fail(`${name} was not imported in ${attemptsMax} attempts: ${output}`);
};

const killSoon = ({ random }: RetryContext, importer: RunningProgram): (() => void) => {
  const timer = setTimeout(() => importer.kill('SIGKILL'), random() * 3_000);
  return () => clearTimeout(timer);
};

const pathOf = ({ ticker }: ImportedMarket): string => `/markets/${ticker}/snapshots?step_ms=0&limit=5000`;

/** Reads a market during faults: rows may be missing in an answer from a cache, but none may be wrong. */
const readOne = async (context: ImportContext): Promise<void> => {
  const market = oneOf(context, context.imported);
  const { snapshots } = answerOf(snapshotsResponse, await retryUntilFinal(context, context, pathOf(market)));
  const expected = new Set(market.rows.map(String));
  for (const row of snapshots.map(rowOf))
    assert.ok(expected.has(String(row)), `${market.ticker} has the row ${row.join()}`);
};

const exportOne = async (context: ImportContext, market: ImportedMarket): Promise<void> => {
  const body = { ticker: market.ticker, format: 'jsonl.gz', streams: ['snapshots'] };
  const [answer] = await sendWithIdempotencyKey(context, context, '/exports', body);
  assert.ok(answer !== undefined);
  const { id } = answerOf(exportResponse, answer);
  await isReady(context, context, id);
  context.exported.push({ id, market });
};

const observation = z.object({ ts: z.number(), yes_best_bid: z.number(), yes_best_ask: z.number() });

const rowOf = (row: unknown): Row => {
  const { ts, yes_best_bid: bid, yes_best_ask: ask } = observation.parse(row);
  return [Math.round(ts * 1e6), bid, ask];
};

/** Everything runs: each acknowledged row can be read and is in each file, once and unchanged, and no other. */
export const assertImported = async ({ apis, imported, exported }: ImportContext): Promise<Record<string, number>> => {
  for (const api of apis) {
    for (const market of imported) {
      const { snapshots } = await api.json(snapshotsResponse, pathOf(market));
      assert.deepEqual(snapshots.map(rowOf), market.rows, market.ticker);
    }
    for (const { id, market } of exported) {
      await assertFileStored(api, id);
      const { bytes } = await api.send(`/exports/${id}/file`);
      const lines = gunzipSync(bytes).toString('utf8').trimEnd().split('\n');
      assert.deepEqual(
        lines.map((line) => rowOf(JSON.parse(line))),
        market.rows,
        `the file of ${market.ticker}`,
      );
    }
  }
  return {
    imported_markets: imported.length,
    imported_rows: imported.length * rowsOfMarket,
    exported: exported.length,
  };
};
