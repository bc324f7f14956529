import { parseJson } from '@almanac/contracts';
import { type BookMessage, type Level, refusal, type Refused, type Side } from '../../model/feed-message.js';
import { one, readMillionths } from '../../values/millionths.js';
import { readTime } from '../../values/time.js';
import { lifecycleFact, lifecycleTypes, nothingKnown } from './kalshi-lifecycle.js';
import { kalshiMarkets, marketOfKalshi } from './kalshi-markets.js';
import { readTrade } from '../../model/trade.js';
import { kalshiTradeOf } from './kalshi-trades.js';
import { textOf } from '../../sources/record-fields.js';
import { isObject, type JsonObject } from '../../sources/source.js';

/**
 * Parses a websocket frame of Kalshi, by its AsyncAPI (2.0, channels `orderbook_delta`, `ticker`, `trade` and
 * `market_lifecycle_v2`). A capture also
 * records the market objects of the venue's lists between the frames. Never throws: what it cannot read is refused.
 */
export const kalshiFrame = (us: number, text: string, json?: unknown): BookMessage => {
  const frame = json ?? parseJson(text);
  if (frame === undefined) return refusal({ us, reason: 'not JSON', text });
  if (!isObject(frame)) return refusal({ us, reason: 'not a message', text });
  if (kalshiMarkets.is(frame)) return { kind: 'market', us, fact: marketOfKalshi(frame, nothingKnown, us).fact };
  if (typeof frame['type'] !== 'string') return refusal({ us, reason: 'not a message', text });
  return kalshiMessage({ us, type: frame['type'], sid: frame['sid'], seq: frame['seq'], msg: frame['msg'] }, text);
};

/** The parts of a message. Each may have any type. */
export interface KalshiMessage {
  readonly us: number;
  readonly type: string;
  readonly sid: unknown;
  readonly seq: unknown;
  readonly msg: unknown;
}

/** A message in parts, from a frame or from a recorder that stores the parts. */
export const kalshiMessage = (message: KalshiMessage, text: string): BookMessage => {
  const { us, type } = message;
  const msg = isObject(message.msg) ? message.msg : nothing;
  const [sid, seq] = [placeOf(message.sid), placeOf(message.seq)];
  if (type === 'orderbook_delta') return deltaOf({ us, sid, seq, msg, text });
  if (type === 'orderbook_snapshot') return snapshotOf({ us, sid, seq, msg, text });
  if (type === 'ticker') return topOf({ us, sid, seq: null, msg, text });
  if (type === 'trade') return tradeOf({ us, sid, seq, msg, text });
  if (lifecycleTypes.has(type)) return changedOf({ us, sid, seq, msg, text });
  if (type === 'subscribed') return openedOf({ us, sid: null, seq: null, msg, text });
  if (type === 'error') return refusal({ us, reason: 'the venue reports an error', text });
  if (ignoredTypes.has(type)) return { kind: 'activity', us, sid, seq };
  return refusal({ us, sid, seq, reason: 'unknown message type', text });
};

/** Messages that change no book. If one has a `seq`, it counts. */
const ignoredTypes = new Set(['ok', 'unsubscribed', 'event_lifecycle']);

const nothing: JsonObject = {};

interface MessageFields {
  readonly us: number;
  readonly sid: number | null;
  readonly seq: number | null;
  readonly msg: JsonObject;
  readonly text: string;
}

const deltaOf = (message: MessageFields): BookMessage => {
  const { us, sid, seq, msg } = message;
  const ticker = tickerOf(msg);
  const no = (reason: string): Refused => refusal({ ...message, ticker, reason });
  if (ticker === null) return no(reasons.noTicker);
  if (sid === null || seq === null) return no(reasons.noPlace);
  const side = sideOf(msg['side']);
  if (side === null) return no('a side that is neither yes nor no');
  const price = priceOf(msg['price_dollars']);
  if (price === null) return no(reasons.price);
  const by = sizeOf(msg['delta_fp']);
  if (by === null) return no(reasons.size);
  return { kind: 'change', us, venueUs: venueUsOf(msg), ticker, sid, seq, side, price, by };
};

const snapshotOf = (message: MessageFields): BookMessage => {
  const { us, sid, seq, msg } = message;
  const ticker = tickerOf(msg);
  const no = (reason: string): Refused => refusal({ ...message, ticker, reason });
  if (ticker === null) return no(reasons.noTicker);
  if (sid === null || seq === null) return no(reasons.noPlace);
  const yes = levelsOf(msg['yes_dollars_fp']);
  if (typeof yes === 'string') return no(yes);
  const against = levelsOf(msg['no_dollars_fp']);
  if (typeof against === 'string') return no(against);
  return { kind: 'snapshot', us, venueUs: venueUsOf(msg), ticker, sid, seq, yes, no: against };
};

/** Another channel, so an error in it leaves the books certain. An ask of 1.00 or a bid of 0.00 is an empty side. */
const topOf = ({ us, sid, msg, text }: MessageFields): BookMessage => {
  const ticker = tickerOf(msg);
  const bid = edgeOf(msg['yes_bid_dollars']);
  const ask = edgeOf(msg['yes_ask_dollars']);
  if (ticker === null) return refusal({ us, reason: reasons.noTicker, text });
  if (bid === undefined || ask === undefined) return refusal({ us, reason: reasons.price, text });
  return { kind: 'top', us, venueUs: venueUsOf(msg), ticker, sid, seq: null, bid, ask };
};

/** Another channel, so an error in it leaves the books certain. */
const tradeOf = ({ us, sid, seq, msg, text }: MessageFields): BookMessage => {
  const read = readTrade({ ...kalshiTradeOf(msg), ticker: tickerOf(msg), venueUs: venueUsOf(msg), receivedUs: us });
  return typeof read === 'string'
    ? refusal({ us, sid, seq, reason: read, text })
    : { kind: 'trade', us, sid, seq, ...read };
};

const changedOf = ({ us, sid, seq, msg, text }: MessageFields): BookMessage => {
  const ticker = tickerOf(msg);
  if (ticker === null) return refusal({ us, sid, seq, reason: reasons.noTicker, text });
  const fact = lifecycleFact(us, ticker, msg);
  return fact === null ? { kind: 'activity', us, sid, seq } : { kind: 'changed', us, sid, seq, fact };
};

const openedOf = ({ us, msg, text }: MessageFields): BookMessage => {
  const sid = placeOf(msg['sid']);
  return sid === null ? refusal({ us, reason: reasons.noPlace, text }) : { kind: 'opened', us, sid, seq: null };
};

const reasons = {
  noTicker: 'no ticker',
  noPlace: 'no subscription or sequence number',
  price: 'the price is not between 0 and 1',
  size: 'the size is not a number',
} as const;

/** `msg.ts` has more digits than `ts_ms`. */
export const venueUsOf = (msg: JsonObject): number | null => {
  const { ts, time, ts_ms: ms } = msg;
  const exact = typeof ts === 'string' ? ts : time;
  if (typeof exact === 'string') return readTime(exact, 'iso');
  return readTime(textOf(ms) ?? '', 'ms');
};

/** In a JSON document, numbers are texts. */
const placeOf = (value: unknown): number | null => {
  const place = typeof value === 'string' && /^\d+$/.test(value) ? Number(value) : value;
  return typeof place === 'number' && Number.isSafeInteger(place) && place > 0 ? place : null;
};

const tickerOf = ({ market_ticker: ticker }: JsonObject): string | null =>
  typeof ticker === 'string' && ticker !== '' ? ticker : null;

const sideOf = (value: unknown): Side | null => (value === 'yes' || value === 'no' ? value : null);

const sizeOf = (value: unknown): number | null => (typeof value === 'string' ? readMillionths(value) : null);

const priceOf = (value: unknown): number | null => {
  const price = sizeOf(value);
  return price !== null && price > 0 && price < one ? price : null;
};

const edgeOf = (value: unknown): number | null | undefined => {
  const price = sizeOf(value);
  if (price === null || price < 0 || price > one) return undefined;
  return price === 0 || price === one ? null : price;
};

/** The venue leaves out a side without levels. */
const levelsOf = (value: unknown): readonly Level[] | string => {
  if (value === undefined || value === null) return [];
  if (!Array.isArray(value)) return reasons.size;
  const levels: Level[] = [];
  for (const level of value as readonly unknown[]) {
    if (!Array.isArray(level)) return reasons.size;
    const price = priceOf(level[0]);
    const size = sizeOf(level[1]);
    if (price === null) return reasons.price;
    if (size === null || size < 0) return reasons.size;
    levels.push([price, size]);
  }
  return levels;
};
