import assert from 'node:assert/strict';
import { generateKeyPairSync } from 'node:crypto';
import { describe, it, type TestContext } from 'node:test';
import { eventually } from '@almanac/testing';
import { importPath } from '../../import/testing/import-files.js';
import { gapsIn, type MemoryArchive } from '../../import/testing/memory-archive.js';
import { KalshiFeed } from '../../venues/kalshi/kalshi-feed.js';
import { kalshiLists } from '../../venues/kalshi/kalshi-lists.js';
import { signedHeaders } from '../../venues/kalshi/kalshi-signature.js';
import { endedReason, lostReason } from '../capture.js';
import { bestAskOf, type RecordedMessage, ReplayVenue, type FaultPlan } from './replay-venue.js';
import { startedCapture } from './started-capture.js';

/** Book messages in the order in which a venue sent them. */
export interface CapturedMessages {
  /** Messages of one market: 190 or more for each drop. */
  readonly session: readonly RecordedMessage[];
  /** How often the connection drops in the session. */
  readonly drops: number;
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
      'with drops, repeats and losses has the rows of an import, and each drop is a gap',
      { skip },
      async (context) => {
        const { session, drops: dropCount } = open();
        const messages = session.slice(0, dropCount * 200);
        assert.strictEqual(messages.length, dropCount * 200);
        const at = (share: number): number => Math.floor(messages.length * share);
        const drops = new Map(Array.from({ length: dropCount }, (_, index) => [150 + index * 190, 1 + (index % 7)]));
        const lost = new Set([at(0.25), at(0.585), at(0.95)]);
        const repeated = new Set([at(0.125), at(0.125) + 1, at(0.85)]);
        const { venue, reported } = await captured(context, messages, { drops, lost, repeated });

        assert.strictEqual(venue.stats.connections, dropCount + 1);
        assertTrue(reported, venue.sent);
        await assertSameAsImport(reported);
        assert.deepStrictEqual(reported.refused, new Map([['repeated message', repeated.size]]));
        const reasons = Map.groupBy(gapsIn(reported), ({ reason }) => reason);
        assert.deepStrictEqual(
          new Map(Array.from(reasons, ([reason, gaps]) => [reason, gaps.length])),
          new Map([
            [lostReason, dropCount],
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
        assert.deepStrictEqual(lastBooks(reported), lastBooks(uninterrupted.reported));
      },
    );

    it('of eight markets on one subscription has a gap in each market for every drop', { skip }, async (context) => {
      const messages = open().frames;
      const drops = new Map(Array.from({ length: 20 }, (_, index) => [9 + index * 3, 1]));
      const { venue, reported } = await captured(context, messages, { ...noTrouble, drops });
      assert.strictEqual(venue.stats.connections, 21);
      assert.strictEqual(reported.events.filter(({ kind }) => kind === 'lost').length, 20);
      for (const { ticker } of reported.rows.values()) assert.ok(reported.things.has(`market ${ticker}`));
      assertTrue(reported, venue.sent);
      assert.strictEqual(gapsIn(reported).length, 20 * 8 + 8);
      await assertSameAsImport(reported);
      for (const headers of venue.stats.headers) assert.ok(headers['kalshi-access-signature'] !== undefined);
    });

    it(
      'captures the trades of its markets with the time of their receipt, as an import of its recording does',
      { skip },
      async (context) => {
        const books = open().frames;
        const messages = books.flatMap((message, at) => (at % 3 === 2 ? [tradeOf(message, at), message] : [message]));
        const { reported } = await captured(context, messages, noTrouble);
        assert.deepStrictEqual(
          Array.from(reported.trades.values(), ({ id, ticker, price, size, side }) => [id, ticker, price, size, side]),
          messages
            .filter(({ type }) => type === 'trade')
            .map(({ msg }) => [msg['trade_id'], msg.market_ticker, '0.36', '2.5', 'yes']),
        );
        for (const { receivedTs, venueTs } of reported.trades.values()) {
          assert.ok(receivedTs !== null);
          assert.strictEqual(venueTs, '1778764500.123000');
        }
        await assertSameAsImport(reported);
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
const noTrouble: FaultPlan = { drops: new Map(), lost: new Set(), repeated: new Set() };

/** Plays messages with faults to a capture, until its last book is complete. */
const captured = async (context: TestContext, messages: readonly RecordedMessage[], trouble: FaultPlan) => {
  const venue = await ReplayVenue.start(messages, trouble);
  context.after(() => venue.close());
  const url = venue.url('ws', '/trade-api/ws/v2');
  const headers = () => signedHeaders({ id: 'key-1', privateKey }, url, Date.now());
  const { capture, memory, end } = await startedCapture(context, 'kalshi', {
    feed: new KalshiFeed({ url, headers, heartbeat: 'ping' }, 60_000),
    lists: kalshiLists(venue.url('http', '/trade-api/v2'), 'KXBTC15M'),
  });
  await venue.play();
  await eventually(() => assert.strictEqual(capture.counts().booksMissing, 0));
  const last = String(venue.sent.size);
  await eventually(() => {
    capture.flush();
    assert.ok(Array.from(memory.rows.values()).some(({ seq }) => seq === last));
  });
  return { venue, reported: await end() };
};

type Reported = Awaited<ReturnType<typeof captured>>['reported'];

/** The archive has what `npm run import` of the recording gives. */
const assertSameAsImport = async (reported: Reported): Promise<void> => {
  const { report, ...again } = await importPath(reported.folder);
  assert.deepStrictEqual(rowsByMarket(reported), rowsByMarket(again));
  assert.deepStrictEqual(
    [reported.spans, reported.trades, reported.refused],
    [again.spans, again.trades, report.refused],
  );
};

const usOf = (ts: string): number => Number(ts.replace('.', ''));

/** Checks that each row equals the venue's own book after the message of that `seq`, and that no row lies in a gap. */
const assertTrue = (reported: Reported, sent: ReplayVenue['sent']): void => {
  const ofMarket = rowsByMarket(reported);
  for (const { ticker, seq, book, ask } of reported.rows.values()) {
    assert.deepStrictEqual({ ticker, yes: book?.yes, no: book?.no }, sent.get(Number(seq)));
    assert.strictEqual(ask, bestAskOf(book?.no ?? ''));
  }
  for (const { ticker, startUs, endUs, reason } of gapsIn(reported)) {
    assert.strictEqual(endUs === null, reason === endedReason, 'all but the last gap have ended');
    const inside = ofMarket.get(ticker)?.filter(({ ts }) => usOf(ts) > startUs && usOf(ts) < (endUs ?? Infinity));
    assert.deepStrictEqual(inside, []);
  }
};

/** Each market's rows in order. A flush makes rows of a quiet market earlier, so markets mix in another order each time. */
const rowsByMarket = ({ rows }: Pick<MemoryArchive, 'rows'>) => Map.groupBy(rows.values(), ({ ticker }) => ticker);

/** The last book of each market in the rows. */
const lastBooks = ({ rows }: Pick<MemoryArchive, 'rows'>) =>
  new Map(Array.from(rows.values(), ({ ticker, book }) => [ticker, book]));
