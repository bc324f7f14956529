import assert from 'node:assert/strict';
import { createReadStream } from 'node:fs';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { test, type TestContext } from 'node:test';
import { sharedData } from '@almanac/testing';
import { Rebuild } from '../books/rebuild.js';
import { everyChangeUs } from '../books/sampler.js';
import { loadBuiltInMappings } from '../mapping/load-mapping.js';
import { openKalshiRecording } from '../sources/kalshi-recording.js';
import { recordingArchive } from './recording-archive.js';
import { runImport } from './run-import.js';

const session = sharedData('kalshi-l2/session-20260514T130107Z') ?? '';
const frames = sharedData('kalshi-l2/ws_frames.jsonl') ?? '';
const skip = session === '' || frames === '' ? 'the recordings of ../shared/data are not on this machine' : false;

const folderOf = async (t: TestContext): Promise<string> => {
  const folder = await mkdtemp(join(tmpdir(), 'almanac-books-'));
  t.after(() => rm(folder, { recursive: true, force: true }));
  return folder;
};

const imported = async (t: TestContext, path: string, { sampleUs = everyChangeUs, into = recordingArchive() } = {}) => {
  const options = { archive: into.archive, mappings: await loadBuiltInMappings(), startedAt: new Date(0), sampleUs };
  const { reports, aborted } = await runImport([path], { ...options, refusedFolder: await folderOf(t) });
  const [report] = reports;
  assert.ok(report);
  assert.deepEqual([aborted, report.error], [null, null]);
  return { ...into, report };
};

const [first, second] = ['KXBTC15M-26MAY140915-15', 'KXBTC15M-26MAY140930-30'];

test('the recorded session is rebuilt whole: every change applied, no gap, rows in order', { skip }, async (t) => {
  const { report, rows, gaps, things, archive, calls } = await imported(t, session);
  assert.deepEqual(report.books, { snapshots: 4, changes: 67_726, inDoubt: 0, gaps: 0 });
  assert.deepEqual([report.refused.size, gaps.size], [0, 0]);
  // One row a market and microsecond of receipt: 44,181 with changes, 4 with snapshots.
  assert.equal(rows.size, 44_185);
  assert.ok(calls.largestBatchBytes < 900_000, String(calls.largestBatchBytes));
  for (const ticker of [first, second]) {
    const its = Array.from(rows.values()).filter((row) => row.ticker === ticker);
    its.slice(1).forEach((row, index) => {
      const before = its[index];
      assert.ok(before && Number(row.ts) > Number(before.ts) && Number(row.seq) > Number(before.seq), row.ts);
    });
  }
  const begun = rows.get(`${first} 1778763695.431332`);
  assert.deepEqual(
    {
      ...begun,
      book: begun?.book && { ...begun.book, yes: begun.book.yes.slice(0, 33), no: begun.book.no.slice(-48) },
    },
    {
      ticker: first,
      series: 'KXBTC15M',
      ts: '1778763695.431332',
      venueTs: '1778763695.338038',
      seq: '2',
      bid: '0.46',
      ask: '0.47',
      coinPrice: begun?.coinPrice ?? '',
      book: {
        yes: '[(0.46,1075),(0.45,637.02),(0.44,',
        no: '0.005,100),(0.003,900),(0.002,926),(0.001,1602)]',
        coinAgeUs: begun?.book?.coinAgeUs ?? '',
      },
    },
  );
  assert.deepEqual(things.get(`market ${first}`), {
    kind: 'market',
    ticker: first,
    series: 'KXBTC15M',
    event_ticker: 'KXBTC15M-26MAY140915',
    category: 'crypto',
    category_label: 'Crypto',
    capture: 'l2',
    venue_status: 'finalized',
    result: 'yes',
    open_us: Date.UTC(2026, 4, 14, 13, 0) * 1_000,
    close_us: Date.UTC(2026, 4, 14, 13, 15) * 1_000,
    floor_strike: '79747.3',
    first_price: things.get(`market ${first}`)?.['first_price'],
    last_price: things.get(`market ${first}`)?.['last_price'],
  });
  const before = JSON.stringify([...rows, ...gaps]);
  const again = await imported(t, session, { into: { archive, rows, gaps, things, calls } });
  assert.equal(JSON.stringify([...rows, ...gaps]), before);
  assert.deepEqual(again.report.outcomes, { created: 0, changed: 0, unchanged: 2 });
});

test('the coin price of a row is the last trade at or before it', { skip }, async (t) => {
  const { rows } = await imported(t, session, { sampleUs: 1_000_000 });
  const trades: { readonly us: number; readonly price: string }[] = [];
  for await (const block of (await openKalshiRecording(session)).blocks())
    for (const message of block) if (message.kind === 'coin') trades.push(message);
  assert.equal(trades.length, 7_400);
  assert.ok(rows.size > 800, String(rows.size));
  for (const row of rows.values()) {
    const us = Math.round(Number(row.ts) * 1e6);
    const trade = trades.findLast((one) => one.us <= us);
    assert.deepEqual([row.coinPrice, row.book?.coinAgeUs], [trade?.price, String(us - (trade?.us ?? 0))], row.ts);
  }
});

test(
  "the rebuilt top equals the venue's own in 749 of 803 rows, and is never more than 2 cents off",
  { skip },
  async () => {
    let [compared, equal, farthest] = [0, 0, 0];
    const books = new Rebuild(everyChangeUs, {
      row: () => undefined,
      gap: () => assert.fail('a gap'),
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
    for await (const block of (await openKalshiRecording(session)).blocks()) for (const one of block) books.take(one);
    assert.equal(compared, 803);
    assert.ok(equal >= 749, String(equal));
    assert.ok(farthest <= 20_000, String(farthest));
  },
);

test('recorded frames are rebuilt, and what the venue calls an error is counted', { skip }, async (t) => {
  const { report, rows, gaps } = await imported(t, frames);
  assert.equal(report.mapping, 'Kalshi frames');
  assert.deepEqual(report.books, { snapshots: 8, changes: 61, inDoubt: 0, gaps: 0 });
  assert.deepEqual([...report.refused], [['the venue reports an error', 3]]);
  assert.equal(gaps.size, 0);
  const tickers = new Set(Array.from(rows.values(), ({ ticker }) => ticker));
  assert.equal(tickers.size, 8);
});

/** The lines of the frames, some of them taken out or put in the place of others. */
const changedFrames = async (
  t: TestContext,
  change: (lines: readonly string[]) => readonly string[],
): Promise<string> => {
  const lines = (await readFile(frames, 'utf8')).split('\n').filter((line) => line !== '');
  const path = join(await folderOf(t), 'frames.jsonl');
  await writeFile(path, change(lines).join('\n'));
  return path;
};

test(
  'a frame that is missing is a gap of every market of its subscription, and no row lies inside',
  { skip },
  async (t) => {
    const whole = await imported(t, frames);
    const deltas = 20;
    const path = await changedFrames(t, (lines) => {
      const at = lines.findIndex((line) => line.includes(String.raw`\"seq\":${deltas},`));
      assert.ok(at > 0);
      return [
        ...lines.slice(0, at),
        ...lines.slice(at + 1),
        ...lines
          .filter((line) => line.includes('orderbook_snapshot'))
          .map((line, index) =>
            line
              .replace(/"recv_ts_ns": \d+/, `"recv_ts_ns": ${1_776_490_900_000_000_000n + BigInt(index)}`)
              .replace(/\\"seq\\":\d+/, String.raw`\"seq\":${70 + index}`),
          ),
      ];
    });
    const { report, gaps, rows } = await imported(t, path);
    assert.equal(report.books?.gaps, 8);
    assert.equal(gaps.size, 8);
    for (const gap of gaps.values()) {
      assert.equal(gap.end_us, 1_776_490_900_000_000);
      const inside = Array.from(rows.values()).filter(({ ticker, ts }) => {
        const us = Math.round(Number(ts) * 1e6);
        return ticker === gap.ticker && us > gap.start_us && us < 1_776_490_900_000_000;
      });
      assert.deepEqual(inside, []);
      assert.ok(rows.has(`${gap.ticker} 1776490900.000000`));
    }
    assert.ok(rows.size < whole.rows.size + 8);
  },
);

test('bad frames are counted by reason, never fatal and never a row', { skip }, async (t) => {
  const frame = (us: number, raw: string): string =>
    `{"recv_ts_ns": ${1_776_490_900_000_000 + us}000, "raw": ${JSON.stringify(raw)}}`;
  const delta = (seq: number, changes: Readonly<Record<string, unknown>> = {}): string =>
    JSON.stringify({
      type: 'orderbook_delta',
      sid: 1,
      seq,
      msg: { market_ticker: 'KXBTC-26APR1817-B76875', price_dollars: '0.5', delta_fp: '1', side: 'no', ...changes },
    });
  const path = await changedFrames(t, (lines) => [
    ...lines,
    frame(1, delta(70).slice(0, 40)),
    '{"recv_ts_ns": 17764909000',
    frame(2, '{"type":"surprise","sid":1,"seq":70,"msg":{}}'),
    frame(3, delta(71, { price_dollars: '1.2' })),
    frame(4, delta(72, { delta_fp: 'many' })),
    frame(5, delta(73, { market_ticker: 'NEVER-ANNOUNCED' })),
    frame(1, delta(74)),
    frame(6, delta(74, { side: 'both' })),
    frame(7, delta(75, { market_ticker: 5 })),
    frame(8, '[]'),
    '{"recv_ts_ns": "soon", "raw": "{}"}',
  ]);
  const whole = await imported(t, frames);
  const { report, rows, gaps } = await imported(t, path);
  assert.deepEqual(Object.fromEntries(report.refused), {
    'the venue reports an error': 3,
    'not JSON': 2,
    'an unknown message type': 1,
    'a price that is none between 0 and 1': 1,
    'a size that is no number': 1,
    'a change before the snapshot of its market': 1,
    'the time runs backwards': 1,
    'a side that is neither yes nor no': 1,
    'no ticker': 1,
    'not a message': 1,
    'no receive time': 1,
  });
  assert.deepEqual([...rows], [...whole.rows]);
  assert.equal(gaps.size, 8);
});

test(
  'the parts of a capture in one folder are one recording, and a lost connection in it is a gap',
  { skip },
  async (t) => {
    const folder = await folderOf(t);
    const lines: string[] = [];
    for await (const line of createInterface({ input: createReadStream(frames) })) lines.push(line);
    await writeFile(join(folder, '0001.jsonl'), `${lines.slice(0, 30).join('\n')}\n`);
    await writeFile(join(folder, '0002.jsonl'), `${lines.slice(30).join('\n')}\n`);
    const whole = await imported(t, frames);
    const inParts = await imported(t, folder);
    assert.deepEqual([...inParts.rows], [...whole.rows]);
    await writeFile(join(folder, '0003.jsonl'), '{"recv_ts_ns": 1776490900000000000, "lost": "the socket closed"}\n');
    const { gaps } = await imported(t, folder);
    assert.equal(gaps.size, 8);
    for (const { end_us, reason } of gaps.values()) assert.deepEqual([end_us, reason], [null, 'the socket closed']);
  },
);
