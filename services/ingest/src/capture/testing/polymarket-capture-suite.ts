import assert from 'node:assert/strict';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it, type TestContext } from 'node:test';
import { everyChangeUs } from '@almanac/contracts';
import { eventually } from '@almanac/testing';
import { type WebSocket, WebSocketServer } from 'ws';
import { BookIntake } from '../../books/book-intake.js';
import { gapsIn, type MemoryArchive, memoryArchive } from '../../import/testing/memory-archive.js';
import { runImport } from '../../import/run-import.js';
import { venues } from '../../venues/venues.js';
import { Capture, endedReason, lostReason } from '../capture.js';
import { captureContext } from '../capture-context.js';
import { receivedClock } from '../clock.js';
import { polymarketFeed } from '../../venues/polymarket/polymarket-feed.js';
import { polymarketLists } from '../../venues/polymarket/polymarket-lists.js';
import { Recording } from '../recording.js';
import { sessionTimes } from '../session.js';

/** Eight messages of Polymarket's market channel about one market, the first a whole book. */
export interface ChannelMessages {
  readonly lines: readonly string[];
  readonly tokens: readonly [string, string];
  readonly slug: string;
  /** The best bid of YES in the last book. */
  readonly best: readonly [price: string, size: string];
  readonly deepest: readonly [price: string, size: string];
  readonly ask: string;
}

const marketObject = ({ slug, tokens }: ChannelMessages): object => ({
  slug,
  conditionId: '0x05c2',
  outcomes: '["Up", "Down"]',
  question: 'Bitcoin Up or Down - May 14',
  endDate: '2099-01-01T00:00:00Z',
  active: true,
  closed: false,
  clobTokenIds: JSON.stringify(tokens),
});

/** A venue that answers each subscription with the next frames, and drops all connections but the last. */
const venue = async (context: TestContext, market: object, answers: readonly (readonly string[])[]) => {
  const subscriptions: unknown[] = [];
  const server = createServer((request, response) => {
    const isOpen = request.url?.includes('closed=false') === true;
    response.end(JSON.stringify(isOpen ? [market] : []));
  });
  const sockets = new WebSocketServer({ server });
  const answer = (socket: WebSocket, text: string): void => {
    if (text === 'PING') return socket.send('PONG');
    const frames = answers[subscriptions.length] ?? [];
    subscriptions.push(JSON.parse(text));
    for (const frame of frames) socket.send(frame);
    if (subscriptions.length < answers.length) socket.close(1001);
  };
  sockets.on('connection', (socket) => socket.on('message', (data: Buffer) => answer(socket, data.toString('utf8'))));
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  context.after(() => {
    for (const socket of sockets.clients) socket.terminate();
    server.closeAllConnections();
    server.close();
  });
  const address = server.address();
  assert.ok(typeof address === 'object' && address !== null);
  return { host: `127.0.0.1:${address.port}`, subscriptions };
};

const summaryOf = ({ rows, spans }: Pick<MemoryArchive, 'rows' | 'spans'>) => ({
  rows: [...rows.values()],
  gaps: gapsIn({ spans }),
});

/** Tests a capture of Polymarket that is dropped twice, with real or generated messages. */
export const testPolymarketCapture = (
  name: string,
  { open, skip }: { open: () => ChannelMessages; skip: string | false },
): void => {
  it(
    `${name} subscribes anew after each drop and has the rows of an import of its recording`,
    { skip },
    async (context) => {
      const messages = open();
      const { lines, tokens, slug } = messages;
      const [book = ''] = lines;
      const { host, subscriptions } = await venue(context, marketObject(messages), [
        lines.slice(0, 3),
        [book, ...lines.slice(3, 5)],
        lines,
      ]);
      const home = mkdtempSync(join(tmpdir(), 'capture-'));
      context.after(() => rmSync(home, { recursive: true }));
      const folder = join(home, 'recording');
      const onFault = (error: unknown): void => assert.fail(String(error));
      const recording = await Recording.open({ folder, partBytes: 1e6, partMs: 1e9, waitingBytesMax: 1e6, onFault });
      const memory = memoryArchive();
      const fileContext = captureContext({
        archive: memory.archive,
        name: 'a capture',
        onRefused: (why) => assert.fail(why),
      });
      const reader = venues.polymarket.frames.reader();
      const heartbeat = { text: 'PING', answer: 'PONG' };
      const capture = new Capture({
        feed: polymarketFeed({ url: `ws://${host}/ws/market`, headers: () => ({}), heartbeat }),
        lists: polymarketLists(`http://${host}`, 'btc-updown-5m'),
        reader,
        recording,
        intake: (onSpan) =>
          new BookIntake({ context: fileContext, intervalUs: everyChangeUs, factOf: reader.factOf, onSpan }),
        nowUs: receivedClock(),
        times: { ...sessionTimes, heartbeatMs: 50, pauseMs: 1 },
        listEveryMs: 1_000,
        storeEveryMs: 1_000,
        onEvent: () => undefined,
      });
      context.after(() => capture.stop());
      await eventually(() => {
        assert.strictEqual(subscriptions.length, 3);
        assert.strictEqual(capture.counts().changes, 2 + 2 + 5);
      });
      await capture.stop();
      assert.ok(await recording.close(60_000));

      const subscription = { assets_ids: [tokens[0]], type: 'market', custom_feature_enabled: true };
      assert.deepStrictEqual(subscriptions, [subscription, subscription, subscription]);
      const summary = summaryOf(memory);
      assert.deepStrictEqual(
        summary.gaps.map(({ reason, endUs }) => [reason, endUs === null]),
        [
          [lostReason, false],
          [lostReason, false],
          [endedReason, true],
        ],
      );
      const last = summary.rows.at(-1);
      assert.deepStrictEqual(
        [last?.ticker, last?.series, last?.bid, last?.ask],
        [slug, 'btc-updown-5m', messages.best[0], messages.ask],
      );
      const yes = last?.book?.yes ?? '';
      assert.ok(
        yes.startsWith(`[(${messages.best.join(',')}),`) && yes.endsWith(`,(${messages.deepest.join(',')})]`),
        yes,
      );

      const again = memoryArchive();
      const options = { archive: again.archive, mappings: [], sampleUs: everyChangeUs, startedAt: new Date() };
      const { reports } = await runImport([folder], { ...options, refusedFolder: join(home, 'refused') });
      assert.deepStrictEqual(
        reports.map(({ error }) => error),
        [null],
      );
      assert.deepStrictEqual(summaryOf(again), summary);
    },
  );
};
