import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { after, before, describe, it as test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { bookResponse, marketsAtResponse, observationFields } from '@almanac/contracts';
import { forEachConcurrent } from '@almanac/runtime';
import { recording } from '@almanac/testing';
import { z } from 'zod';
import type { ApiClient } from './api.js';
import { type SystemHarness, startHarness } from './harness.js';
import { allBooks, type ExpectedBook, gunzipped, type Levels, millionth, shownBook } from './recordings/all-books.js';

const database = recording('data/books-two-venues');
const depth = recording('data/kalshi-settlements');
const rest = recording('data/kalshi-rest');
const skip = database.skip || depth.skip || rest.skip;

const readme = fileURLToPath(new URL('../../../services/ingest/README.md', import.meta.url));

const level = z.tuple([z.coerce.number(), z.coerce.number()]);
const depthLine = z.object({
  ticker: z.string(),
  captured_at: z.string(),
  yes_bids: z.array(level),
  no_bids: z.array(level),
});
const kalshiAnswer = z.object({
  orderbook_fp: z.object({ yes_dollars: z.array(level).nullable(), no_dollars: z.array(level).nullable() }),
});
const objects = z.array(z.object({ price: z.coerce.number(), size: z.coerce.number() }));
const polymarketAnswer = z.object({ timestamp: z.string(), bids: objects, asks: objects });
const bookRow = z.object({ contract_id: z.string(), venue: z.string(), ts: z.string(), raw_json: z.string() });

const sorted = (side: Levels): Levels => side.toSorted(([a], [b]) => b - a);
const microsOf = (iso: string): number => {
  const [, whole = '', fraction = ''] = /^(.{19})(?:\.(\d+))?(?:Z|\+00:00)$/.exec(iso) ?? assert.fail(iso);
  return Date.parse(`${whole}Z`) * 1_000 + Number(fraction.padEnd(6, '0'));
};

const bestOf = (side: Levels): number | null => side[0]?.[0] ?? null;
const sizeOf = (side: Levels): number | null => side[0]?.[1] ?? null;
const askOf = (no: Levels): number | null => (no[0] ? millionth(1 - no[0][0]) : null);

interface PolledBook extends ExpectedBook {
  readonly isOfDatabase: boolean;
  readonly ticker: string;
  readonly venueUs: number | null;
}

const depthBooks = (path: string): PolledBook[] =>
  gunzipped(path)
    .toString('utf8')
    .trimEnd()
    .split('\n')
    .map((line) => depthLine.parse(JSON.parse(line)))
    .map(({ ticker, captured_at: at, yes_bids: yes, no_bids: no }) => ({
      ticker,
      isOfDatabase: false,
      us: microsOf(at),
      venueUs: null,
      yes: sorted(yes),
      no: sorted(no),
    }));

const restAnswer = z.object({
  _metadata: z.object({ ticker: z.string(), recorded_at: z.string() }),
  response: z.object({ orderbook: z.object({ yes_dollars: z.null(), no_dollars: z.null() }) }),
});

/** A market without any order. */
const restBook = (path: string): PolledBook => {
  const { _metadata: of } = restAnswer.parse(JSON.parse(readFileSync(path, 'utf8')));
  return { ticker: of.ticker, us: microsOf(of.recorded_at), isOfDatabase: true, venueUs: null, yes: [], no: [] };
};

const polledBook = ({ contract_id: ticker, venue, ts, raw_json: raw }: z.output<typeof bookRow>): PolledBook => {
  const json: unknown = JSON.parse(raw);
  const us = microsOf(ts);
  if (venue === 'kalshi') {
    const { yes_dollars: yes, no_dollars: no } = kalshiAnswer.parse(json).orderbook_fp;
    return { ticker, us, isOfDatabase: true, venueUs: null, yes: sorted(yes ?? []), no: sorted(no ?? []) };
  }
  const { timestamp, bids, asks } = polymarketAnswer.parse(json);
  return {
    ticker,
    us,
    isOfDatabase: true,
    venueUs: Number(timestamp) * 1_000,
    yes: sorted(bids.map(({ price, size }) => [price, size])),
    no: sorted(asks.map(({ price, size }) => [millionth(1 - price), size])),
  };
};

/** Runs the commands of the README with the engine of Node: `sqlite3` writes the first column of each row. */
const dumped = (db: DatabaseSync): ReadonlyMap<string, string> => {
  const commands = readFileSync(readme, 'utf8').matchAll(/^sqlite3 recorder\.db "(SELECT [^"]+)" > (\S+)$/gm);
  return new Map(
    Array.from(commands, ([, sql = '', name = '']) => [
      name,
      db
        .prepare(sql)
        .all()
        .map((row) => String(Object.values(row)[0]))
        .join('\n'),
    ]),
  );
};

describe('real order books of one line a book', () => {
  const it = (guarantee: string, run: () => Promise<void>): void => void test(guarantee, { skip }, run);
  let folder: string;
  let running: SystemHarness;
  let api: ApiClient;
  let polled: readonly PolledBook[] = [];

  if (skip === false) {
    before(async () => {
      folder = await mkdtemp(join(tmpdir(), 'almanac-books-'));
      const depthPath = join(depth.path, 'orderbook_depth_2026-07-23.jsonl.gz');
      await writeFile(join(folder, 'recorder.db'), gunzipped(join(database.path, 'rec_rehearsal.db.gz')));
      const db = new DatabaseSync(join(folder, 'recorder.db'));
      const rows = z.array(bookRow).parse(db.prepare('SELECT * FROM book_snapshots').all());
      const dumps = dumped(db);
      db.close();
      assert.deepEqual([...dumps.keys()], ['kalshi-books.jsonl', 'polymarket-books.jsonl']);
      for (const [name, text] of dumps) await writeFile(join(folder, name), text);
      const restPath = join(rest.path, 'orderbook.json');
      polled = [...depthBooks(depthPath), ...rows.map(polledBook), restBook(restPath)];
      const paths = [depthPath, restPath, ...Array.from(dumps.keys(), (name) => join(folder, name))];
      running = await startHarness();
      api = await running.client('full_book');
      for (const _repeated of [1, 2]) {
        const { code, output } = await running.import(...paths);
        assert.equal(code, 0, output);
      }
    });
    after(async () => {
      await running.stop();
      await rm(folder, { recursive: true });
    });
  }

  it('have the best prices and their sizes of every book of the recorder that wrote JSON lines, each at its own time', async () => {
    const ofLines = polled.filter(({ isOfDatabase }) => !isOfDatabase);
    assert.deepEqual([ofLines.length, polled.length], [3_938, 3_938 + 357 + 1]);
    let checked = 0;
    for (const books of Map.groupBy(ofLines, ({ us }) => us).values()) {
      const [{ us } = assert.fail()] = books;
      for (let from = 0; from < books.length; from += 500) {
        const some = books.slice(from, from + 500);
        const tickers = some.map(({ ticker }) => ticker);
        const body = JSON.stringify({ tickers, at_ts: [us / 1e6], fields: observationFields });
        const headers = { 'content-type': 'application/json' };
        const { snapshots } = await api.json(marketsAtResponse, '/markets/at', { method: 'POST', headers, body });
        assert.deepEqual(
          snapshots.map((row) => [
            [row.ticker, row.ts, row.yes_best_bid, row.yes_best_ask],
            [row.yes_best_bid_size, row.yes_best_ask_size],
          ]),
          some.map(({ ticker, yes, no }) => [
            [ticker, us / 1e6, bestOf(yes), askOf(no)],
            [sizeOf(yes), sizeOf(no)],
          ]),
        );
        checked += snapshots.length;
      }
    }
    assert.equal(checked, ofLines.length);
  });

  it('have every level of all books', async () => {
    const byTicker = Array.from(Map.groupBy(polled, ({ ticker }) => ticker));
    let compared = 0;
    await forEachConcurrent(byTicker, 6, async ([ticker, books]) => {
      const expected = books.toSorted((a, b) => a.us - b.us);
      const [first] = expected;
      assert.ok(first);
      const stored = await allBooks(api, ticker, first);
      assert.deepEqual(
        stored.map((row) => ({ ...shownBook(row), venueTs: row.venue_ts })),
        expected.map(({ us, yes, no, venueUs }) => ({ us, yes, no, venueTs: venueUs === null ? null : venueUs / 1e6 })),
        ticker,
      );
      compared += stored.length;
    });
    assert.equal(compared, polled.length);
    const [[ticker, [{ us } = assert.fail()]] = assert.fail()] = byTicker;
    const later = await api.json(bookResponse, `/markets/${ticker}/book?at_ts=${us / 1e6 + 1}`);
    assert.equal(later.basis, 'snapshot');
  });
});
