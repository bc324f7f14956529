import type { Endpoint, FeedConnection, VenueFeed } from '../venue-feed.js';

interface Connected {
  readonly connection: FeedConnection;
  readonly subscribed: Set<string>;
  isSubscribed: boolean;
}

/** Only with this option does the venue send `market_resolved` and `best_bid_ask`. */
const extras = { custom_feature_enabled: true };

/**
 * Polymarket's market channel, with one token per market (the other token shows the same book). The answer to a
 * subscription is the complete book, so after a loss a token is unsubscribed and subscribed again.
 */
export const polymarketFeed = (endpoint: Endpoint): VenueFeed => {
  let watched: ReadonlyMap<string, string> = new Map();
  let now: Connected | null = null;

  const operate = (to: Connected, operation: 'subscribe' | 'unsubscribe', tokens: readonly string[]): void => {
    if (tokens.length > 0) to.connection.send(JSON.stringify({ operation, assets_ids: tokens, ...extras }));
  };
  const bringUpToDate = (to: Connected): void => {
    const target = new Set(watched.values());
    const added = [...target].filter((token) => !to.subscribed.has(token));
    const removed = [...to.subscribed].filter((token) => !target.has(token));
    for (const token of added) to.subscribed.add(token);
    for (const token of removed) to.subscribed.delete(token);
    if (to.isSubscribed) operate(to, 'subscribe', added);
    else if (added.length > 0) {
      to.isSubscribed = true;
      to.connection.send(JSON.stringify({ assets_ids: added, type: 'market', ...extras }));
    }
    operate(to, 'unsubscribe', removed);
  };

  return {
    endpoint,
    opened: (connection) => {
      now = { connection, subscribed: new Set(), isSubscribed: false };
      bringUpToDate(now);
    },
    closed: () => void (now = null),
    // The venue does not answer commands.
    onMessage: () => undefined,
    watch: (markets) => {
      watched = new Map(markets.map(({ ticker, feedId }) => [ticker, feedId]));
      if (now) bringUpToDate(now);
    },
    resync: (tickers) => {
      const to = now;
      if (!to) return;
      const tokens = tickers.flatMap((ticker) => watched.get(ticker) ?? []).filter((token) => to.subscribed.has(token));
      operate(to, 'unsubscribe', tokens);
      operate(to, 'subscribe', tokens);
    },
  };
};
