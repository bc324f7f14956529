import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { everyChangeUs } from '@almanac/contracts';
import { Rebuild } from '../../books/rebuild.js';
import { openKalshiRecording } from '../../venues/kalshi/kalshi-recording.js';
import { importFiles, importPath, once } from './import-files.js';
import { withFolder } from './with-folder.js';
import { gapsIn } from './memory-archive.js';

/** Recordings of Kalshi's books with their known contents. */
export interface BookRecordings {
  /** A recorder's folder. */
  readonly session: {
    readonly folder: string;
    readonly tickers: readonly string[];
    readonly snapshots: number;
    readonly changes: number;
    /** Distinct microseconds of receipt, by market. */
    readonly rows: number;
    /** The least number of seconds with a row. */
    readonly secondsMin: number;
    readonly trades: number;
    /** Tops that the venue sent, and how many equal the rebuilt book. The others are at most 2 cents off. */
    readonly tops: number;
    readonly equalTops: number;
  };
  /** Websocket frames of eight markets on one subscription. */
  readonly framesPath: string;
  readonly frames: { readonly tickers: readonly string[]; readonly changes: number };
}

/** Tests the import of Kalshi book recordings, real or generated. */
export const describeBookRecordings = (
  name: string,
  { open, skip }: { open: () => BookRecordings; skip: string | false },
): void => {
  describe(name, () => {
    const wholeFrames = once(() => importPath(open().framesPath));

    it('is rebuilt completely: every change applied, no gap, rows in order', { skip }, async () => {
      const { session } = open();
      const { report, ...into } = await importPath(session.folder);
      const { rows, spans, calls } = into;
      const { snapshots, changes, tickers } = session;
      assert.deepEqual(report.books, { snapshots, changes, uncertainChanges: 0, gaps: 0, verified: 0 });
      assert.deepEqual([report.refused.size, spans.size, gapsIn({ spans })], [0, tickers.length, []]);
      assert.equal(rows.size, session.rows);
      assert.ok(calls.largestBatchBytes < 900_000, String(calls.largestBatchBytes));
      for (const ticker of tickers) {
        const its = Array.from(rows.values()).filter((row) => row.ticker === ticker);
        assert.ok(its.length > 1, ticker);
        its.slice(1).forEach((row, index) => {
          const before = its[index];
          assert.ok(before && Number(row.ts) > Number(before.ts) && Number(row.seq) > Number(before.seq), row.ts);
        });
      }
      const before = JSON.stringify([...rows, ...spans]);
      const again = await importPath(session.folder, { into });
      assert.equal(JSON.stringify([...rows, ...spans]), before);
      assert.deepEqual(again.report.outcomes, { created: 0, changed: 0, unchanged: tickers.length, refused: 0 });
    });

    it('has in each row the last trade of the coin at or before it', { skip }, async () => {
      const { session } = open();
      const { rows } = await importPath(session.folder, { sampleUs: 1_000_000 });
      const trades: { readonly us: number; readonly price: string }[] = [];
      for await (const block of (await openKalshiRecording(session.folder, () => true)).blocks())
        for (const message of block) if (message.kind === 'coin') trades.push(message);
      assert.equal(trades.length, session.trades);
      assert.ok(rows.size >= session.secondsMin, String(rows.size));
      for (const row of rows.values()) {
        const us = Math.round(Number(row.ts) * 1e6);
        const trade = trades.findLast((one) => one.us <= us);
        assert.deepEqual([row.coinPrice, row.book?.coinAgeUs], [trade?.price, String(us - (trade?.us ?? 0))], row.ts);
      }
    });

    it('has the same tops as the venue, none more than 2 cents off', { skip }, async () => {
      const { session } = open();
      let [compared, equal, farthest] = [0, 0, 0];
      const spans = new Set<string>();
      const books = new Rebuild(everyChangeUs, {
        row: () => undefined,
        span: (span) => void spans.add(`${span.ticker} ${span.startUs}`),
        fact: () => undefined,
        refused: (reason) => assert.fail(reason),
        top: (top, ours) => {
          compared += 1;
          const off = Math.max(
            Math.abs((ours?.bid ?? 0) - (top.bid ?? 0)),
            Math.abs((ours?.ask ?? 1e6) - (top.ask ?? 1e6)),
          );
          farthest = Math.max(farthest, off);
          if (off === 0) equal += 1;
        },
      });
      for await (const block of (await openKalshiRecording(session.folder, () => true)).blocks())
        for (const one of block) books.take(one);
      assert.equal(spans.size, session.tickers.length);
      assert.equal(compared, session.tops);
      assert.ok(equal >= session.equalTops, String(equal));
      assert.ok(farthest <= 20_000, String(farthest));
    });

    it('is rebuilt from frames too, and errors of the venue are counted', { skip }, async () => {
      const { frames } = open();
      const { report, rows, spans } = await wholeFrames();
      assert.equal(report.mapping, 'Kalshi frames');
      assert.deepEqual(report.books, {
        snapshots: 8,
        changes: frames.changes,
        uncertainChanges: 0,
        gaps: 0,
        verified: 0,
      });
      assert.deepEqual([...report.refused], [['the venue reports an error', 3]]);
      assert.deepEqual([spans.size, gapsIn({ spans })], [8, []]);
      assert.deepEqual(new Set(Array.from(rows.values(), ({ ticker }) => ticker)), new Set(frames.tickers));
    });

    it('loses nothing through bad frames, which are counted by reason', { skip }, async () => {
      const { framesPath, frames } = open();
      const whole = await wholeFrames();
      const lines = [...(await linesOf(framesPath)), ...badFrames(frames.tickers[3] ?? '', 8 + frames.changes)];
      const { report, rows, spans } = await importFiles({ 'frames.jsonl': lines.join('\n') });
      assert.deepEqual(Object.fromEntries(report.refused), {
        'the venue reports an error': 3,
        'not JSON': 2,
        'unknown message type': 1,
        'the price is not between 0 and 1': 1,
        'the size is not a number': 1,
        'the change comes before the snapshot of its market': 1,
        'a side that is neither yes nor no': 1,
        'no ticker': 1,
        'not a message': 1,
        'no receive time': 1,
      });
      assert.deepEqual([...rows], [...whole.rows]);
      assert.equal(gapsIn({ spans }).length, 8);
    });

    it('is one recording in several files of a folder, and a lost connection in it is a gap', { skip }, async () => {
      const whole = await wholeFrames();
      const lines = await linesOf(open().framesPath);
      await withFolder(async (folder) => {
        await writeFile(join(folder, '0001.jsonl'), `${lines.slice(0, 30).join('\n')}\n`);
        await writeFile(join(folder, '0002.jsonl'), `${lines.slice(30).join('\n')}\n`);
        const inParts = await importPath(folder);
        assert.deepEqual([...inParts.rows], [...whole.rows]);
        const lost = `{"recv_ts_ns": ${againUs}000, "lost": "the socket closed"}\n`;
        await writeFile(join(folder, '0003.jsonl'), lost);
        const gaps = gapsIn(await importPath(folder));
        assert.equal(gaps.length, 8);
        for (const { endUs, reason } of gaps) assert.deepEqual([endUs, reason], [null, 'the socket closed']);
      });
    });
  });
};

/** Some minutes after the last frame of either recording. */
const againUs = 1_776_490_900_000_000;

const linesOf = async (path: string): Promise<readonly string[]> =>
  (await readFile(path, 'utf8')).split('\n').filter((line) => line !== '');

/** Frames after the one with the number `last`, each with a different fault. */
const badFrames = (ticker: string, last: number): readonly string[] => {
  const frame = (us: number, raw: string): string =>
    `{"recv_ts_ns": ${againUs + us}000, "raw": ${JSON.stringify(raw)}}`;
  const delta = (after: number, changes: Readonly<Record<string, unknown>> = {}): string =>
    JSON.stringify({
      type: 'orderbook_delta',
      sid: 1,
      seq: last + after,
      msg: { market_ticker: ticker, price_dollars: '0.5', delta_fp: '1', side: 'no', ...changes },
    });
  return [
    frame(1, delta(1).slice(0, 40)),
    '{"recv_ts_ns": 17764909000',
    frame(2, `{"type":"surprise","sid":1,"seq":${last + 1},"msg":{}}`),
    frame(3, delta(2, { price_dollars: '1.2' })),
    frame(4, delta(3, { delta_fp: 'many' })),
    frame(5, delta(4, { market_ticker: 'NEVER-ANNOUNCED' })),
    frame(1, delta(5)),
    frame(6, delta(5, { side: 'both' })),
    frame(7, delta(6, { market_ticker: 5 })),
    frame(8, '[]'),
    '{"recv_ts_ns": "soon", "raw": "{}"}',
  ];
};
