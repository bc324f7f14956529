import { variable } from '@almanac/runtime';
import { z } from 'zod';
import { textOf } from '../../sources/record-fields.js';
import { isObject, type JsonObject } from '../../sources/source.js';
import { readTime } from '../../values/time.js';
import type { LiveVenue, Venue } from '../venue.js';
import { polymarketEvents } from './polymarket-events.js';
import { polymarketBlocks, polymarketFills, polymarketMarketRows } from './polymarket-fills.js';
import { polymarketFeed } from './polymarket-feed.js';
import { polymarketHours } from './polymarket-hours.js';
import { polymarketLists } from './polymarket-lists.js';
import { polymarketMarkets } from './polymarket-markets.js';
import { polymarketMessages } from './polymarket-messages.js';
import { polymarketTrades } from './polymarket-trades.js';

const live: z.ZodType<LiveVenue> = z
  .object({
    POLYMARKET_WS_URL: variable.url().default('wss://ws-subscriptions-clob.polymarket.com/ws/market'),
    POLYMARKET_REST_URL: variable.url().default('https://gamma-api.polymarket.com'),
  })
  .transform(({ POLYMARKET_WS_URL: url, POLYMARKET_REST_URL: lists }) => ({
    connect: (series) => ({
      // From the venue's documentation: PING every 10 seconds, answered with PONG.
      feed: polymarketFeed({ url, headers: () => ({}), heartbeat: { text: 'PING', answer: 'PONG' } }),
      lists: polymarketLists(lists, series),
    }),
  }));

/** The messages of a frame, none if it is another one. */
const feedMessages = (json: unknown): readonly JsonObject[] => {
  const messages = Array.isArray(json) ? json : [json];
  const isMessage = (one: unknown): one is JsonObject =>
    isObject(one) &&
    typeof one['event_type'] === 'string' &&
    ['asset_id', 'market', 'price_changes', 'assets_ids'].some((key) => key in one);
  return messages.every(isMessage) ? messages : [];
};

/** A token in a frame, plain or as a text in a text. */
const tokenIn = /asset_id\\*"\s*:\s*\\*"(\d+)/g;

export const polymarket = {
  catalogueFormats: [polymarketMarkets, polymarketMarketRows, polymarketEvents],
  tradeFormats: [polymarketTrades, polymarketFills],
  blockTable: polymarketBlocks,
  candleFormats: [],
  frames: {
    // The first frame of a connection is a list of messages.
    is: (json) => Array.isArray(json) || (isObject(json) && ('event_type' in json || polymarketMarkets.is(json))),
    isMessage: (json) => feedMessages(json).length > 0,
    timeOf: (json) => readTime(textOf(feedMessages(json)[0]?.['timestamp']) ?? '', 'ms'),
    idsIn: (text) => Array.from(text.matchAll(tokenIn), ([, id = '']) => id),
    reader: (outcomes) => {
      const messages = polymarketMessages(outcomes);
      return {
        name: 'Polymarket frames',
        read: (us, raw, json) => messages.read(us, raw, json),
        plain: messages.plain,
        factOf: (ticker) => ({ kind: 'market', ticker }),
      };
    },
  },
  hourlyBooks: polymarketHours,
  live,
} satisfies Venue;
