import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it as test } from 'node:test';
import { bookResponse, gapReasons, marketDetailResponse, previewResponse, snapshotsResponse } from '@almanac/contracts';
import { seededRandom } from '@almanac/testing';
import { type ApiClient, poll } from '../api.js';
import { replayBooks } from './books-source.js';
import { suiteSystem, type SuiteOptions, type SystemHarness } from '../harness.js';

/** Recordings of Kalshi's books with their known contents. */
export interface BookRecordings {
  /** A recorder's folder. */
  readonly session: {
    readonly folder: string;
    readonly changes: number;
    /** One of its markets, and the microseconds of its first and last book. */
    readonly ticker: string;
    readonly startUs: number;
    readonly endUs: number;
    readonly result: string;
    readonly strike: number;
  };
  readonly framesPath: string;
  /** A market of the frames. */
  readonly frameTicker: string;
}

/** Random times, and rows of a deep book, whose answer has more bytes than some messages of the bus. */
const full = { timesN: 200, deepRows: 5_000, deepBytesMin: 10 * 1024 * 1024 };
const small: typeof full = { timesN: 80, deepRows: 1_500, deepBytesMin: 3 * 1024 * 1024 };

const secondsText = (us: number): string => `${Math.floor(us / 1e6)}.${String(us % 1e6).padStart(6, '0')}`;

const deep = 'DEEP-26APR1817-B1';

/** Frames of a market with this many levels a side, whose best bid grows by one contract a row. */
const deepFrames = (rows: number, levels: number): string => {
  const side = Array.from({ length: levels }, (_, at) => [((480 - at) / 1_000).toFixed(4), `${1_000 + at}.00`]);
  const frame = (seq: number, type: string, msg: object): string =>
    `{"recv_ts_ns": ${1_776_490_800_000_000 + seq * 1_000}000, "raw": ${JSON.stringify(
      JSON.stringify({ type, sid: 1, seq, msg: { market_ticker: deep, ...msg } }),
    )}}`;
  const change = { price_dollars: '0.4800', delta_fp: '1.00', side: 'yes' };
  return [
    frame(1, 'orderbook_snapshot', { yes_dollars_fp: side, no_dollars_fp: side }),
    ...Array.from({ length: rows - 1 }, (_, at) => frame(at + 2, 'orderbook_delta', change)),
  ].join('\n');
};

/** Tests recorded order books as users see them, from import to answers: real or generated recordings. */
export const describeBooks = (name: string, { open, skip, system: shared }: SuiteOptions<BookRecordings>): void => {
  describe(name, () => {
    const it = (guarantee: string, run: () => Promise<void>): void => void test(guarantee, { skip }, run);
    const { timesN, deepRows, deepBytesMin } = shared === undefined ? full : small;
    let running: SystemHarness;
    let api: ApiClient;
    let recordings: BookRecordings;

    const system = suiteSystem(shared);
    if (skip === false) {
      before(async () => {
        recordings = await open();
        running = await system.start();
        api = await running.client('full_book');
        const imported = await running.import(recordings.session.folder, '--sample', 'every-change');
        assert.equal(imported.code, 0, imported.output);
        const changes = recordings.session.changes.toLocaleString('en-US');
        assert.ok(imported.output.includes(`${changes} changes, 0 gaps`), imported.output);
      });
      after(() => system.stop());
    }

    it(`are at ${timesN} random times the same as in a plain replay of the frames`, async () => {
      const { folder, ticker, startUs, endUs } = recordings.session;
      const random = seededRandom(20_260_514);
      const times = Array.from(
        { length: timesN },
        () => startUs + Math.floor(random() * (endUs + 20_000_000 - startUs)),
      );
      const ascending = times.toSorted((a, b) => a - b);
      const replayed = replayBooks(folder, ticker, ascending);
      for (const [index, us] of ascending.entries()) {
        const window = `start_ts=${secondsText(us - 50_000_000)}&end_ts=${secondsText(us + 1)}`;
        const path = `/markets/${ticker}/snapshots?${window}&step_ms=60000&include_book=true`;
        const { snapshots, layer } = await api.json(snapshotsResponse, path);
        const last = snapshots.at(-1);
        const book = replayed[index];
        assert.ok(last && book, path);
        assert.equal(layer, 'l2');
        assert.deepEqual(
          { ts: last.ts, seq: last.seq, yes: last.orderbook_yes, no: last.orderbook_no },
          { ts: book.us / 1e6, seq: book.seq, yes: book.yes, no: book.no },
          `at ${us}`,
        );
        assert.equal(last.yes_best_bid, book.yes[0]?.[0] ?? null);
        const ask = book.no[0] ? Math.round(1e6 - book.no[0][0] * 1e6) / 1e6 : null;
        assert.equal(last.yes_best_ask, ask);
        if (index % 10 > 0 || us > endUs) continue;
        const exact = await api.json(bookResponse, `/markets/${ticker}/book?at_ts=${secondsText(us)}`);
        assert.deepEqual(
          { ts: exact.ts, yes: exact.orderbook_yes, no: exact.orderbook_no, basis: exact.basis },
          { ts: book.us / 1e6, yes: book.yes, no: book.no, basis: 'every_change' },
        );
      }
    });

    it(`are returned ${deepRows} rows at once, each with 100 levels a side`, async () => {
      const path = join(running.system.home, 'deep.jsonl');
      await writeFile(path, deepFrames(deepRows, 100));
      const imported = await running.import(path, '--sample', 'every-change');
      assert.equal(imported.code, 0, imported.output);
      const { status, bytes } = await api.send(
        `/markets/${deep}/snapshots?start_ts=1776490800&step_ms=0&limit=${deepRows}&include_book=true`,
      );
      assert.equal(status, 200);
      const { snapshots, layer } = snapshotsResponse.parse(JSON.parse(bytes.toString('utf8')));
      assert.deepEqual([snapshots.length, layer], [deepRows, 'l2']);
      for (const [index, row] of snapshots.entries()) {
        assert.deepEqual([row.seq, row.orderbook_yes?.length, row.orderbook_no?.length], [index + 1, 100, 100]);
        assert.deepEqual(row.orderbook_yes?.[0], [0.48, 1_000 + index]);
      }
      assert.ok(bytes.length > deepBytesMin, `${bytes.length} bytes are no more than a few messages of the bus`);
    });

    it('give their market the layer of full books, with samples in the preview and a gap only before it began', async () => {
      const { ticker, result, strike } = recordings.session;
      const { market } = await api.json(marketDetailResponse, `/markets/${ticker}`);
      assert.deepEqual([market.capture, market.result, market.floor_strike], ['l2', result, strike]);
      const preview = await poll(
        () => api.json(previewResponse, `/markets/${ticker}/preview`),
        ({ pending }) => !pending,
      );
      assert.equal(preview.layer, 'l2');
      assert.equal(preview.l2_sample.length, 3);
      const {
        has_l2: hasBooks,
        gaps,
        covered_s: coveredS,
        gap_s: gapS,
      } = preview.coverage ?? assert.fail('no coverage');
      assert.deepEqual([hasBooks, gaps.map(({ reason }) => reason)], [true, [gapReasons.start]]);
      const lifeS = (market.close_ts ?? 0) - (market.open_ts ?? 0);
      assert.ok(Math.abs((coveredS ?? 0) + gapS - lifeS) < 1e-5, `${coveredS} + ${gapS} of ${lifeS}`);
    });

    it('have a gap in the preview where a frame is missing, and no row inside it', async () => {
      const lines = readFileSync(recordings.framesPath, 'utf8').trimEnd().split('\n');
      const missing = lines.findIndex((line) => line.includes(String.raw`\"seq\":20,`));
      const again = lines
        .filter((line) => line.includes('orderbook_snapshot'))
        .map((line, index) =>
          line
            .replace(/"recv_ts_ns": \d+/, `"recv_ts_ns": 1776490900000000000`)
            .replace(/\\"seq\\":\d+/, String.raw`\"seq\":${70 + index}`),
        );
      const path = join(running.system.home, 'frames.jsonl');
      await writeFile(path, [...lines.slice(0, missing), ...lines.slice(missing + 1), ...again].join('\n'));
      const imported = await running.import(path, '--sample', 'every-change');
      assert.equal(imported.code, 0, imported.output);
      const of = recordings.frameTicker;
      const { coverage } = await poll(
        () => api.json(previewResponse, `/markets/${of}/preview`),
        ({ pending }) => !pending,
      );
      const lastSeen = lines[missing - 1] ?? '';
      const startUs = Number((/"recv_ts_ns": (\d+)/.exec(lastSeen)?.[1] ?? '').slice(0, -3));
      const reason = 'messages are missing in the sequence';
      assert.deepEqual(
        coverage?.gaps.filter((gap) => gap.reason === reason),
        [{ start_ts: startUs / 1e6, end_ts: 1_776_490_900, reason, missing: 'all' }],
      );
      const inside = `start_ts=${secondsText(startUs + 1)}&end_ts=1776490900&step_ms=0`;
      assert.equal((await api.json(snapshotsResponse, `/markets/${of}/snapshots?${inside}`)).matched, 0);
    });
  });
};
