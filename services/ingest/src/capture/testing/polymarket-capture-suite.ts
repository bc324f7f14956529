import assert from 'node:assert/strict';
import { it } from 'node:test';
import { eventually } from '@almanac/testing';
import { importPath } from '../../import/testing/import-files.js';
import { gapsIn, type MemoryArchive } from '../../import/testing/memory-archive.js';
import { polymarketFeed } from '../../venues/polymarket/polymarket-feed.js';
import { polymarketLists } from '../../venues/polymarket/polymarket-lists.js';
import { endedReason, lostReason } from '../capture.js';
import { fakeVenue } from './fake-venue.js';
import { startedCapture } from './started-capture.js';

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
const droppingVenue = async (market: object, answers: readonly (readonly string[])[]) => {
  const subscriptions: unknown[] = [];
  const venue = await fakeVenue({
    onRequest: (request, response) => {
      const isOpen = request.url?.includes('closed=false') === true;
      response.end(JSON.stringify(isOpen ? [market] : []));
    },
    onMessage: (socket, text) => {
      if (text === 'PING') return socket.send('PONG');
      for (const frame of answers[subscriptions.length] ?? []) socket.send(frame);
      subscriptions.push(JSON.parse(text));
      if (subscriptions.length < answers.length) socket.close(1001);
    },
  });
  return { ...venue, subscriptions };
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
      const answers = [lines.slice(0, 3), [book, ...lines.slice(3, 5)], lines];
      const venue = await droppingVenue(marketObject(messages), answers);
      context.after(() => venue.close());
      const heartbeat = { text: 'PING', answer: 'PONG' };
      const { capture, end } = await startedCapture(context, 'polymarket', {
        feed: polymarketFeed({ url: venue.url('ws', '/ws/market'), headers: () => ({}), heartbeat }),
        lists: polymarketLists(venue.url('http'), 'btc-updown-5m'),
      });
      await eventually(() => {
        assert.strictEqual(venue.subscriptions.length, 3);
        assert.strictEqual(capture.counts().changes, 2 + 2 + 5);
      });
      const { folder, refused, ...archived } = await end();

      assert.deepStrictEqual(refused, new Map());
      const subscription = { assets_ids: [tokens[0]], type: 'market', custom_feature_enabled: true };
      assert.deepStrictEqual(venue.subscriptions, [subscription, subscription, subscription]);
      const summary = summaryOf(archived);
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
      assert.deepStrictEqual(summaryOf(await importPath(folder)), summary);
    },
  );
};
