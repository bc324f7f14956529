import assert from 'node:assert/strict';
import { createHash, generateKeyPairSync } from 'node:crypto';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { snapshotsResponse } from '@almanac/contracts';
import { type RecordedMessage, ReplayVenue } from '@almanac/ingest/testing';
import { eventually } from '@almanac/testing';
import { z } from 'zod';
import type { ApiClient } from '../api.js';
import { answerOf, retryUntilFinal, type RetryContext } from './retry.js';
import { runIngest, type RunningProgram } from './run-program.js';

export interface CaptureContext extends RetryContext {
  readonly home: string;
  readonly apis: readonly ApiClient[];
  readonly captured: CapturedMarket[];
}

interface CapturedMarket {
  readonly series: string;
  readonly ticker: string;
  /** The book after each message that the venue sent, by `seq`. */
  readonly books: ReadonlyMap<number, string>;
  /** Read while others were captured. */
  readonly rowsBefore: readonly BookRow[];
}

interface BookRow {
  readonly ts: number | null;
  readonly seq: number | null;
  readonly book: string;
}

const messagesOfMarket = 300;
const pauseMs = 700;
const startsMax = 30;
const startMsMax = 120_000;
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const pem = privateKey.export({ type: 'pkcs8', format: 'pem' }).toString();

/** Captures one market after another from a fake venue, and kills some captures, whose operator starts them again. */
export const captureUntil = async (context: CaptureContext, isOver: () => boolean): Promise<void> => {
  for (let number = 1; !isOver(); number += 1) {
    const series = `KXCHAOS${number}`;
    const ticker = `${series}-99JAN010015-15`;
    const venue = await ReplayVenue.start(messagesOf(ticker), {
      drops: new Map(),
      lost: new Set(),
      repeated: new Set(),
    });
    try {
      await captureOne(context, series, venue);
    } finally {
      venue.close();
    }
    const answer = await retryUntilFinal(context, context, pathOf(ticker));
    // A capture whose first rows were not stored before its end has no market yet. Its recording has them.
    const rowsBefore = answer.status === 404 ? [] : rowsOf(answerOf(snapshotsResponse, answer).snapshots);
    const books = new Map([...venue.sent].map(([seq, { yes, no }]) => [seq, digestOf(yes, no)]));
    context.captured.push({ series, ticker, books, rowsBefore });
  }
};

/** A thousand books are too large to keep for each market. */
const digestOf = (yes: string, no: string): string => createHash('sha256').update(`${yes} ${no}`).digest('base64url');

const messagesOf = (ticker: string): RecordedMessage[] =>
  Array.from({ length: messagesOfMarket }, (_, at) => {
    const side = at % 2 === 0 ? 'yes' : 'no';
    const price = `0.${String(3_000 + ((at * 7) % 1_000)).padStart(4, '0')}`;
    const msg = { market_ticker: ticker, side, price_dollars: price, delta_fp: `${at + 1}.50` };
    return { type: 'orderbook_delta', msg };
  });

const captureOne = async (context: CaptureContext, series: string, venue: ReplayVenue): Promise<void> => {
  const played = venue.play({ pauseMs });
  let isPlayed = false;
  void played.then(() => (isPlayed = true));
  const ends: string[] = [];
  for (let start = 0; start < startsMax; start += 1) {
    context.over.signal.throwIfAborted();
    const capture = startCapture(context, series, venue);
    const kill = start === 0 && context.random() < 0.3 ? delay(context.random() * 6_000) : new Promise(() => undefined);
    const first = await Promise.race([
      played.then(() => 'played'),
      capture.ended.then(() => 'ended'),
      kill.then(() => 'kill'),
    ]);
    if (first === 'kill') capture.kill('SIGKILL');
    if (first === 'played') await endInOrder(capture);
    const code = await capture.ended;
    if (isPlayed && code === 0) return;
    ends.push(`${code}: ${capture.output().slice(-500)}`);
    // The folder of a capture has the second of its start.
    await delay(1_100);
  }
  assert.fail(`the capture of ${series} did not end well in ${startsMax} starts: ${ends.join('\n')}`);
};

/** Before its start has ended, a capture would die of the signal. */
const endInOrder = async (capture: RunningProgram): Promise<void> => {
  const isStarted = () => assert.match(capture.output(), /"msg":"started"/);
  await Promise.race([eventually(isStarted, { timeoutMs: startMsMax }), capture.ended]);
  capture.kill('SIGTERM');
};

const startCapture = ({ home }: CaptureContext, series: string, venue: ReplayVenue): RunningProgram =>
  runIngest('capture-main', ['kalshi', '--series', series, '--sample', 'every-change'], {
    ALMANAC_HOME: home,
    KALSHI_KEY_ID: 'key-1',
    KALSHI_PRIVATE_KEY: pem,
    KALSHI_WS_URL: venue.url('ws', '/trade-api/ws/v2'),
    KALSHI_REST_URL: venue.url('http', '/trade-api/v2'),
  });

const pathOf = (ticker: string): string => `/markets/${ticker}/snapshots?include_book=true&limit=5000&step_ms=0`;

const levels = z.array(z.tuple([z.number(), z.number()])).nullish();
const textOf = (side: unknown): string =>
  `[${(levels.parse(side) ?? []).map(([price, size]) => `(${price},${size})`).join(',')}]`;

const rowsOf = (snapshots: z.output<typeof snapshotsResponse>['snapshots']): BookRow[] =>
  snapshots.map(({ ts, seq, orderbook_yes: yes, orderbook_no: no }) => ({
    ts,
    seq,
    book: digestOf(textOf(yes), textOf(no)),
  }));

/**
 * Everything runs: each row that a capture stored is still there, each row is a book that the venue had, and the imports
 * of the recordings, which add what a killed capture had not stored, show no other rows than they report.
 */
export const assertCaptured = async (context: CaptureContext): Promise<Record<string, number>> => {
  const { apis, captured } = context;
  const [api] = apis;
  assert.ok(api !== undefined);
  let [rowsN, addedN] = [0, 0];
  for (const { series, ticker, books, rowsBefore } of captured) {
    const stored = await readRows(api, ticker);
    assertContains(stored, rowsBefore, `${ticker} lost a row that it showed`);
    await importRecordings(context, series);
    const rows = await readRows(api, ticker);
    assert.ok(rows.length > 0, `${ticker} has no row after the import of its recording`);
    assertContains(rows, stored, `${ticker} lost a row by the import of its recording`);
    for (const { seq, book } of rows) assert.equal(book, books.get(seq ?? -1), `the book of ${ticker}, seq ${seq}`);
    assert.equal(new Set(rows.map(({ seq }) => seq)).size, rows.length, `${ticker} has a row twice`);
    rowsN += rows.length;
    addedN += rows.length - stored.length;
  }
  return { captures: captured.length, captured_rows: rowsN, rows_only_in_recordings: addedN };
};

/** None if the market is not known. */
const readRows = async (api: ApiClient, ticker: string): Promise<BookRow[]> => {
  const { status, bytes } = await api.send(pathOf(ticker));
  if (status === 404) return [];
  assert.equal(status, 200, bytes.toString('utf8'));
  return rowsOf(snapshotsResponse.parse(JSON.parse(bytes.toString('utf8'))).snapshots);
};

const assertContains = (all: readonly BookRow[], some: readonly BookRow[], message: string): void => {
  const known = new Set(all.map((row) => JSON.stringify(row)));
  for (const row of some) assert.ok(known.has(JSON.stringify(row)), `${message}: ${row.ts}, seq ${row.seq}`);
};

const importRecordings = async ({ home }: CaptureContext, series: string): Promise<void> => {
  const captures = join(home, 'captures');
  for (const folder of await readdir(captures)) {
    if (!folder.startsWith(`kalshi-${series}-`)) continue;
    const importer = runIngest('main', [join(captures, folder), '--sample', 'every-change'], { ALMANAC_HOME: home });
    const code = await importer.ended;
    // A capture may be killed before it creates the first part of its recording, or before its first message.
    const isEmpty = /No file found|Nothing was imported: the files have no rows/.test(importer.output());
    assert.ok(code === 0 || isEmpty, importer.output());
  }
};
