import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, it, type TestContext } from 'node:test';
import { everyChangeUs, type RecordedSpan } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { BookIntake } from '../../books/book-intake.js';
import type { BookSpan } from '../../books/rebuild-sink.js';
import { gapsIn, type RecordedRow, memoryArchive } from '../../import/testing/memory-archive.js';
import { venues } from '../../venues/venues.js';
import { runImport } from '../../import/run-import.js';
import { captureContext } from '../capture-context.js';
import { receivedClock } from '../clock.js';
import { Capture, type CaptureEvent, endedReason, lostReason } from '../capture.js';
import { KalshiFeed } from '../../venues/kalshi/kalshi-feed.js';
import { kalshiLists } from '../../venues/kalshi/kalshi-lists.js';
import { signedHeaders } from '../../venues/kalshi/kalshi-signature.js';
import { Recording } from '../recording.js';
import { sessionTimes } from '../session.js';
import { bestAskOf, type RecordedMessage, ReplayVenue, type FaultPlan } from './replay-venue.js';

/** Book messages in the order in which a venue sent them. */
export interface CapturedMessages {
  /** At least 4,000 messages of one market. */
  readonly session: readonly RecordedMessage[];
  /** Messages of eight markets on one subscription. */
  readonly frames: readonly RecordedMessage[];
}

/** Tests a capture of a venue that plays recorded messages with faults. The messages are real or generated. */
export const describeCapture = (
  name: string,
  { open, skip }: { open: () => CapturedMessages; skip: string | false },
): void => {
  describe(name, () => {
    it(
      'with 20 drops, repeats and losses has the rows of an import, and each drop is a gap',
      { skip },
      async (context) => {
        const messages = open().session.slice(0, 4_000);
        assert.strictEqual(messages.length, 4_000);
        const drops = new Map(Array.from({ length: 20 }, (_, index) => [150 + index * 190, 1 + (index % 7)]));
        const lost = new Set([1_000, 2_340, 3_801]);
        const repeated = new Set([500, 501, 3_400]);
        const { venue, reported, folder } = await captured(context, messages, { drops, lost, repeated });

        assert.strictEqual(venue.stats.connections, 21);
        assertTrue(reported, venue.sent);
        const again = await imported(folder);
        assert.deepStrictEqual(rowsByMarket(reported), rowsByMarket(again));
        assert.deepStrictEqual(reported.spans, again.spans);
        assert.deepStrictEqual(reported.refused, again.refused);
        assert.deepStrictEqual(reported.refused, new Map([['repeated message', repeated.size]]));
        const reasons = Map.groupBy(gapsIn(reported), ({ reason }) => reason);
        assert.deepStrictEqual(
          new Map(Array.from(reasons, ([reason, gaps]) => [reason, gaps.length])),
          new Map([
            [lostReason, 20],
            ['messages are missing in the sequence', lost.size],
            [endedReason, 1],
          ]),
        );

        const uninterrupted = await captured(context, messages, noTrouble);
        assert.deepStrictEqual(
          gapsIn(uninterrupted.reported).map(({ reason }) => reason),
          [endedReason],
        );
        assertTrue(uninterrupted.reported, uninterrupted.venue.sent);
        assert.deepStrictEqual(lastBooks(reported.rows), lastBooks(uninterrupted.reported.rows));
      },
    );

    it('of eight markets on one subscription has a gap in each market for every drop', { skip }, async (context) => {
      const messages = open().frames;
      const drops = new Map(Array.from({ length: 20 }, (_, index) => [9 + index * 3, 1]));
      const { venue, reported, folder, events } = await captured(context, messages, { ...noTrouble, drops });
      assert.strictEqual(venue.stats.connections, 21);
      assert.strictEqual(events.filter(({ kind }) => kind === 'lost').length, 20);
      for (const { ticker } of reported.rows) assert.ok(reported.facts.has(`market ${ticker}`));
      assertTrue(reported, venue.sent);
      assert.strictEqual(gapsIn(reported).length, 20 * 8 + 8);
      const again = await imported(folder);
      assert.deepStrictEqual(rowsByMarket(reported), rowsByMarket(again));
      assert.deepStrictEqual(reported.spans, again.spans);
      for (const headers of venue.stats.headers) assert.ok(headers['kalshi-access-signature'] !== undefined);
    });

    it(
      'captures the trades of its markets with the time of their receipt, as an import of its recording does',
      { skip },
      async (context) => {
        const books = open().frames;
        const messages = books.flatMap((message, at) => (at % 3 === 2 ? [tradeOf(message, at), message] : [message]));
        const { reported, folder } = await captured(context, messages, noTrouble);
        assert.deepStrictEqual(
          Array.from(reported.trades.values(), ({ id, ticker, price, size, side }) => ({
            id,
            ticker,
            price,
            size,
            side,
          })),
          messages
            .filter(({ type }) => type === 'trade')
            .map(({ msg }) => ({
              id: msg['trade_id'],
              ticker: msg.market_ticker,
              price: '0.36',
              size: '2.5',
              side: 'yes',
            })),
        );
        for (const { receivedTs, venueTs } of reported.trades.values()) {
          assert.ok(receivedTs !== null);
          assert.strictEqual(venueTs, '1778764500.123000');
        }
        const again = await imported(folder);
        assert.deepStrictEqual(again.trades, reported.trades);
        assert.deepStrictEqual(rowsByMarket(again), rowsByMarket(reported));
      },
    );
  });
};

const tradeOf = ({ msg }: RecordedMessage, at: number): RecordedMessage => ({
  type: 'trade',
  msg: {
    trade_id: `trade-${at}`,
    market_ticker: msg.market_ticker,
    yes_price_dollars: '0.3600',
    no_price_dollars: '0.6400',
    count_fp: '2.50',
    taker_side: 'yes',
    ts: 1_778_764_500,
    ts_ms: 1_778_764_500_123,
  },
});

const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const quick = { ...sessionTimes, pauseMs: 1, pauseMsMax: 20 };

interface Reported {
  readonly rows: readonly RecordedRow[];
  readonly trades: ReturnType<typeof memoryArchive>['trades'];
  readonly spans: ReadonlyMap<string, RecordedSpan>;
  readonly refused: ReadonlyMap<string, number>;
  readonly facts: ReadonlySet<string>;
}

/** An archive in memory with the pipeline that a capture and an import share. */
const collecting = () => {
  const { archive, rows, trades, spans, things } = memoryArchive();
  const context = captureContext({ archive, name: 'a capture', onRefused: () => undefined });
  const options = { context, intervalUs: everyChangeUs, factOf: venues.kalshi.frames.reader().factOf };
  return {
    intake: (onSpan: (span: BookSpan) => void) => new BookIntake({ ...options, onSpan }),
    reported: (): Reported => ({
      rows: [...rows.values()],
      trades,
      spans,
      refused: context.report.refused,
      facts: new Set(things.keys()),
    }),
  };
};

/** Plays messages with faults to a capture, until its last book is complete. */
const captured = async (context: TestContext, messages: readonly RecordedMessage[], trouble: FaultPlan) => {
  const venue = await ReplayVenue.start(messages, trouble);
  context.after(() => venue.close());
  const home = mkdtempSync(join(tmpdir(), 'capture-'));
  context.after(() => rmSync(home, { recursive: true }));
  const folder = join(home, 'recording');
  const archive = collecting();
  const events: CaptureEvent[] = [];
  const recording = await Recording.open({
    folder,
    partBytes: 200_000,
    partMs: 3_600_000,
    waitingBytesMax: 1_000_000,
    onFault: (error) => assert.fail(String(error)),
  });
  const url = venue.url('ws', '/trade-api/ws/v2');
  const headers = () => signedHeaders({ id: 'key-1', privateKey }, url, Date.now());
  const capture = new Capture({
    feed: new KalshiFeed({ url, headers, heartbeat: 'ping' }, 10_000),
    lists: kalshiLists(venue.url('http', '/trade-api/v2'), 'KXBTC15M'),
    reader: venues.kalshi.frames.reader(),
    recording,
    intake: archive.intake,
    nowUs: receivedClock(),
    times: quick,
    listEveryMs: 1_000,
    storeEveryMs: 1_000,
    onEvent: (event) => void events.push(event),
  });
  context.after(() => capture.stop());
  await venue.play();
  await eventually(() => assert.strictEqual(capture.counts().booksMissing, 0));
  const last = String(venue.sent.size);
  await eventually(() => {
    capture.flush();
    assert.ok(archive.reported().rows.some(({ seq }) => seq === last));
  });
  await capture.stop();
  assert.ok(await recording.close(30_000));
  return { venue, reported: archive.reported(), folder, events };
};

/** The result of `npm run import` for a recording. */
const imported = async (folder: string): Promise<Reported> => {
  const { archive, rows, trades, spans, things } = memoryArchive();
  const { reports } = await runImport([folder], {
    archive,
    mappings: [],
    sampleUs: everyChangeUs,
    refusedFolder: join(folder, '..', 'refused'),
    startedAt: new Date(),
  });
  const [report] = reports;
  assert.ok(report && reports.length === 1 && report.error === null);
  return {
    rows: [...rows.values()],
    trades,
    spans,
    refused: report.refused,
    facts: new Set(things.keys()),
  };
};

const noTrouble: FaultPlan = { drops: new Map(), lost: new Set(), repeated: new Set() };

const usOf = (ts: string): number => Number(ts.replace('.', ''));

/** Checks that each row equals the venue's own book after the message of that `seq`, and that no row lies in a gap. */
const assertTrue = ({ rows, spans }: Reported, sent: ReplayVenue['sent']): void => {
  for (const { ticker, seq, book, ask } of rows) {
    assert.deepStrictEqual({ ticker, yes: book?.yes, no: book?.no }, sent.get(Number(seq)));
    assert.strictEqual(ask, bestAskOf(book?.no ?? ''));
  }
  const ofMarket = Map.groupBy(rows, ({ ticker }) => ticker);
  for (const { ticker, startUs, endUs, reason } of gapsIn({ spans })) {
    assert.strictEqual(endUs === null, reason === endedReason, 'all but the last gap have ended');
    const inside = ofMarket.get(ticker)?.filter(({ ts }) => usOf(ts) > startUs && usOf(ts) < (endUs ?? Infinity));
    assert.deepStrictEqual(inside, []);
  }
};

/** Each market's rows in order. A flush makes rows of a quiet market earlier, so markets mix in another order each time. */
const rowsByMarket = ({ rows }: Reported) => Map.groupBy(rows, ({ ticker }) => ticker);

/** The last book of each market in the rows. */
const lastBooks = (rows: Reported['rows']) => new Map(rows.map(({ ticker, book }) => [ticker, book]));
