import assert from 'node:assert/strict';
import { test } from 'node:test';
import { KalshiFeed } from './kalshi/kalshi-feed.js';
import { polymarketFeed } from './polymarket/polymarket-feed.js';
import type { FeedConnection, VenueFeed, WatchedMarket } from './venue-feed.js';

const endpoint = { url: 'ws://venue', headers: () => ({}), heartbeat: 'ping' } as const;
const watched = (...tickers: string[]): readonly WatchedMarket[] =>
  tickers.map((ticker) => ({ ticker, feedId: `token of ${ticker}` }));

const connected = (feed: VenueFeed) => {
  const sent: unknown[] = [];
  const dropped: string[] = [];
  const connection: FeedConnection = {
    send: (text) => void sent.push(JSON.parse(text)),
    drop: (reason) => void dropped.push(reason),
  };
  feed.opened(connection);
  return { dropped, sent: (): unknown[] => sent.splice(0) };
};

const subscribed = JSON.stringify({ type: 'subscribed', id: 1, msg: { channel: 'orderbook_delta', sid: 7 } });
const tradesSubscribed = JSON.stringify({ type: 'subscribed', id: 1, msg: { channel: 'trade', sid: 8 } });
const errorOf = (msg: object): string => JSON.stringify({ type: 'error', id: 1, msg });

test('kalshi: one subscription covers all markets, and changes with them once its sid is known', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const feed = new KalshiFeed(endpoint, 10_000);
  const first = connected(feed);
  assert.deepStrictEqual(first.sent(), [], 'nothing is watched yet');
  feed.watch(watched('A', 'B'));
  feed.watch(watched('B', 'C'));
  const params = { channels: ['orderbook_delta', 'trade'], market_tickers: ['A', 'B'] };
  assert.deepStrictEqual(first.sent(), [{ id: 1, cmd: 'subscribe', params }]);
  feed.onMessage(subscribed);
  const update = (id: number, action: string, ...tickers: string[]) => ({
    id,
    cmd: 'update_subscription',
    params: { sids: [7], market_tickers: tickers, action },
  });
  assert.deepStrictEqual(first.sent(), [update(2, 'add_markets', 'C'), update(3, 'delete_markets', 'A')]);
  feed.onMessage(tradesSubscribed);
  const updateTrades = (id: number, action: string, ...tickers: string[]) => {
    const { params: books, ...command } = update(id, action, ...tickers);
    return { ...command, params: { ...books, sids: [8] } };
  };
  assert.deepStrictEqual(first.sent(), [updateTrades(4, 'add_markets', 'C'), updateTrades(5, 'delete_markets', 'A')]);
  feed.resync(['C', 'A']);
  assert.deepStrictEqual(first.sent(), [update(6, 'get_snapshot', 'C')]);
  feed.watch(watched('B', 'C', 'D'));
  assert.deepStrictEqual(first.sent(), [update(7, 'add_markets', 'D'), updateTrades(8, 'add_markets', 'D')]);
  feed.watch(watched('B', 'C'));
  assert.deepStrictEqual(first.sent(), [update(9, 'delete_markets', 'D'), updateTrades(10, 'delete_markets', 'D')]);
  context.mock.timers.tick(60_000);
  assert.deepStrictEqual(first.dropped, [], 'the answer came in time');

  feed.closed();
  feed.resync(['C']);
  const second = connected(feed);
  assert.deepStrictEqual(second.sent(), [
    { id: 11, cmd: 'subscribe', params: { ...params, market_tickers: ['B', 'C'] } },
  ]);
  context.mock.timers.tick(10_000);
  assert.deepStrictEqual(second.dropped, ['no answer to the subscription']);
});

test('kalshi: an error drops the connection, but an error about a market drops only that market', (context) => {
  context.mock.timers.enable({ apis: ['setTimeout'] });
  const feed = new KalshiFeed(endpoint, 10_000);
  feed.watch(watched('A', 'B'));
  const first = connected(feed);
  feed.onMessage(errorOf({ code: 16, msg: 'Market not found', market_ticker: 'A' }));
  feed.onMessage('{"type":"error"');
  assert.deepStrictEqual(first.dropped, []);
  feed.onMessage(errorOf({ code: 9, msg: 'Authentication required' }));
  assert.deepStrictEqual(first.dropped, ['the venue answered: Authentication required (9)']);
  feed.closed();
  const { sent } = connected(feed);
  const params = { channels: ['orderbook_delta', 'trade'], market_tickers: ['B'] };
  assert.deepStrictEqual(sent(), [{ id: 2, cmd: 'subscribe', params }]);
});

test('polymarket: one token covers each market, and is subscribed again when its book is uncertain', () => {
  const feed = polymarketFeed(endpoint);
  const first = connected(feed);
  feed.watch(watched('A'));
  feed.watch(watched('A', 'B'));
  feed.watch(watched('B'));
  const extras = { custom_feature_enabled: true };
  assert.deepStrictEqual(first.sent(), [
    { assets_ids: ['token of A'], type: 'market', ...extras },
    { operation: 'subscribe', assets_ids: ['token of B'], ...extras },
    { operation: 'unsubscribe', assets_ids: ['token of A'], ...extras },
  ]);
  feed.resync(['A', 'B']);
  assert.deepStrictEqual(first.sent(), [
    { operation: 'unsubscribe', assets_ids: ['token of B'], ...extras },
    { operation: 'subscribe', assets_ids: ['token of B'], ...extras },
  ]);
  feed.closed();
  const { sent } = connected(feed);
  assert.deepStrictEqual(sent(), [{ assets_ids: ['token of B'], type: 'market', ...extras }]);
});
