import { parseJson, tickSizeText } from '@almanac/contracts';
import type { Book } from '../../model/book.js';
import { type BookMessage, type Level, refusal, type Refused, type Side } from '../../model/feed-message.js';
import { millionthsText, one, readMillionths } from '../../values/millionths.js';
import { readTime } from '../../values/time.js';
import { channelTradeOf } from './polymarket-trades.js';
import { withKnowledge } from '../../model/knowledge.js';
import type { OutcomeIds } from '../../sources/known-outcomes.js';
import type { FeedOutcomes, PlainReader } from '../venue.js';
import { BookHashes } from './polymarket-hash.js';
import { outcomeIdsOf, polymarketMarkets } from './polymarket-markets.js';
import { PlainChanges } from './polymarket-plain.js';
import { listOf, objectsIn, textOf } from '../../sources/record-fields.js';
import { isObject, type JsonObject } from '../../sources/source.js';

/** Reads the messages of Polymarket's market channel in the order of receipt. It never throws. */
export interface PolymarketMessages {
  /**
   * Parses one frame: a message, a list of messages (the first frame is one), `PONG`, or a market object of gamma. The
   * latter maps token ids to a market and must come before its messages. `us` is the receive time.
   */
  read(us: number, text: string, json?: unknown): readonly BookMessage[];
  readonly plain: PlainReader;
}

/**
 * A token is one outcome of a market. YES is the first of the market's `clobTokenIds`, like its first outcome (Yes, Up,
 * a team). The messages do not show this, so a token of an unknown market is refused.
 */
interface Token {
  readonly ticker: string;
  readonly isYes: boolean;
  readonly market: Outcomes;
}

/**
 * Both tokens of a market show the same book: buying YES at 0.6 is selling NO at 0.4. So one is enough. The token whose
 * book came first leads, and changes that it also has are ignored in the other.
 */
interface Outcomes {
  leading: string | null;
}

type Read = (us: number, message: JsonObject) => readonly BookMessage[];

const wrong = {
  cut: 'incomplete JSON object',
  kind: 'unknown message type',
  token: 'the token belongs to no known market',
  time: 'time: not in milliseconds',
  price: 'price: not between 0 and 1',
  size: 'size: not a number from 0',
  side: 'side: neither BUY nor SELL',
  hash: 'the venue states another hash of the book',
  winner: 'the winning token does not belong to the market',
} as const;

/** The tokens of a recording. A market that the recording does not announce is one that the import knows. */
class Tokens extends Map<string, Token> {
  readonly hashes = new BookHashes();

  constructor(private readonly outcomes: FeedOutcomes | undefined) {
    super();
  }

  announce({ ticker, yes, no }: OutcomeIds): void {
    if (yes === null || no === null) return;
    const market: Outcomes = { leading: null };
    this.set(yes, { ticker, isYes: true, market });
    this.set(no, { ticker, isYes: false, market });
  }

  /** Without those that the import knows. */
  known(id: string): Token | undefined {
    return super.get(id);
  }

  override get(id: string): Token | undefined {
    const known = super.get(id);
    const found = known === undefined && id !== '' ? this.outcomes?.get(id) : undefined;
    if (found) this.announce(found);
    return known ?? super.get(id);
  }
}

export const polymarketMessages = (outcomes?: FeedOutcomes): PolymarketMessages => {
  const tokens = new Tokens(outcomes);
  const readers: Readonly<Record<string, Read>> = {
    book: (us, message) => bookOf(us, message, tokens),
    price_change: (us, message) => changesOf(us, message, tokens),
    best_bid_ask: (us, message) => topOf(us, message, tokens),
    market_resolved: (us, message) => resolvedOf(us, message, tokens),
    last_trade_price: (us, message) => tradeOf(us, message, tokens),
    tick_size_change: (us, message) => tickSizeOf(us, message, tokens),
    new_market: activityOf,
  };
  const readOne: Read = (us, message) => {
    if (polymarketMarkets.is(message)) return announced(us, message, tokens);
    const read = readers[textOf(message['event_type']) ?? ''];
    return read ? read(us, message) : [refused(us, message, { ticker: null, reason: wrong.kind })];
  };
  return {
    plain: new PlainChanges(tokens),
    read: (us, text, json) => {
      if (text === 'PONG') return activityOf(us);
      const messages = jsonOf(json ?? parseJson(text));
      if (messages === null) return unreadable(us, text);
      return messages.length === 1 && messages[0]
        ? readOne(us, messages[0])
        : messages.flatMap((each) => readOne(us, each));
    },
  };
};

const jsonOf = (parsed: unknown): readonly JsonObject[] | null => {
  if (isObject(parsed)) return [parsed];
  return Array.isArray(parsed) && parsed.every(isObject) ? parsed : null;
};

const place = { sid: null, seq: null } as const;

const activityOf = (us: number): readonly BookMessage[] => [{ kind: 'activity', us, ...place }];

/** Without sequence numbers, no later message shows that this frame changed a book. So all books become uncertain. */
const unreadable = (us: number, text: string): readonly BookMessage[] => [
  refusal({ us, reason: wrong.cut, text }),
  { kind: 'lost', us, ticker: null, sid: null, reason: wrong.cut },
];

const refused = (
  us: number,
  message: JsonObject,
  { ticker, reason }: { ticker: string | null; reason: string },
): Refused => refusal({ us, ticker, reason, text: JSON.stringify(message) });

const announced = (us: number, record: JsonObject, tokens: Tokens): readonly BookMessage[] => {
  const { raw } = record;
  const gamma = isObject(raw) ? raw : record;
  const ids = outcomeIdsOf(textOf(gamma['slug']) ?? '', gamma);
  if (!tokens.has(ids.yes ?? '')) tokens.announce(ids);
  const { facts } = polymarketMarkets.read(record, nothingKnown, us);
  return facts.map((fact) => ({ kind: 'market', us, fact }));
};

/** A market object of gamma contains everything that is needed. */
const nothingKnown = { see: () => undefined, series: () => undefined, event: () => undefined };

const venueTimeOf = (message: JsonObject): number | null => readTime(textOf(message['timestamp']) ?? '', 'ms');

/** A level of the token as a bid on one side of the market. Bids stay, asks become bids on the other side. */
const bidOf = (token: Token, price: number, isBid: boolean): { readonly side: Side; readonly price: number } => ({
  side: token.isYes === isBid ? 'yes' : 'no',
  price: isBid ? price : one - price,
});

const priceOf = (value: unknown): number | null => {
  const price = readMillionths(textOf(value) ?? '');
  return price !== null && price > 0 && price < one ? price : null;
};

const sizeOf = (value: unknown): number | null => {
  const size = readMillionths(textOf(value) ?? '');
  return size !== null && size >= 0 ? size : null;
};

const bookOf = (us: number, message: JsonObject, tokens: Tokens): readonly BookMessage[] => {
  const id = textOf(message['asset_id']) ?? '';
  const token = tokens.get(id);
  if (!token) return [refused(us, message, { ticker: null, reason: wrong.token })];
  const { ticker, market } = token;
  market.leading ??= id;
  if (market.leading !== id) return activityOf(us);
  const venueUs = venueTimeOf(message);
  if (venueUs === null) return [refused(us, message, { ticker, reason: wrong.time })];
  const sides: Record<Side, Level[]> = { yes: [], no: [] };
  for (const isBid of [true, false]) {
    const levels = message[isBid ? 'bids' : 'asks'];
    if (!Array.isArray(levels)) return [refused(us, message, { ticker, reason: wrong.price })];
    for (const level of levels) {
      const price = isObject(level) ? priceOf(level['price']) : null;
      const size = isObject(level) ? sizeOf(level['size']) : null;
      if (price === null || size === null)
        return [refused(us, message, { ticker, reason: price === null ? wrong.price : wrong.size })];
      const bid = bidOf(token, price, isBid);
      if (size > 0) sides[bid.side].push([bid.price, size]);
    }
  }
  const hash = tokens.hashes.ofBook(message);
  const verified = hash === 'verified' ? { isVerified: true } : {};
  const book: BookMessage = { kind: 'snapshot', us, ...place, venueUs, ticker, ...sides, ...verified };
  // Nothing is left out: the books go on from here, but something was lost or altered.
  return hash === 'contradicted' ? [{ kind: 'lost', us, ticker, sid: null, reason: wrong.hash }, book] : [book];
};

const changesOf = (us: number, message: JsonObject, tokens: Tokens): readonly BookMessage[] => {
  const found = objectsIn(message['price_changes']).map((change) => ({
    change,
    id: textOf(change['asset_id']) ?? '',
    token: tokens.get(textOf(change['asset_id']) ?? ''),
  }));
  const venueUs = venueTimeOf(message);
  const messages: BookMessage[] = [];
  for (const { change, token, id } of found) {
    if (!token) {
      messages.push(refused(us, change, { ticker: null, reason: wrong.token }));
      continue;
    }
    const { ticker, market } = token;
    const hasLeadingChange = market.leading !== id && found.some((other) => other.id === market.leading);
    if (hasLeadingChange) continue;
    messages.push(
      venueUs === null
        ? refused(us, message, { ticker, reason: wrong.time })
        : withHash(levelOf(change, { us, venueUs, token }), tokens.hashes.ofChange(change, message, token.isYes)),
    );
    const [top] = topOf(us, { ...change, timestamp: message['timestamp'] }, tokens);
    if (change['best_bid'] !== undefined && top?.kind === 'top')
      messages.push({ ...top, ...(change['best_ask'] !== undefined && { checks: checkedSide(change, token) }) });
  }
  return found.length === 0 ? [refused(us, message, { ticker: null, reason: wrong.kind })] : messages;
};

const withHash = (level: BookMessage, isOf: ((book: Book) => boolean) | null): BookMessage =>
  level.kind === 'level' && isOf !== null ? { ...level, isOf } : level;

const levelOf = (
  change: JsonObject,
  { us, venueUs, token }: { us: number; venueUs: number; token: Token },
): BookMessage => {
  const { ticker } = token;
  const { side } = change;
  const price = priceOf(change['price']);
  const size = sizeOf(change['size']);
  if (side !== 'BUY' && side !== 'SELL') return refused(us, change, { ticker, reason: wrong.side });
  if (price === null) return refused(us, change, { ticker, reason: wrong.price });
  if (size === null) return refused(us, change, { ticker, reason: wrong.size });
  return { kind: 'level', us, ...place, venueUs, ticker, ...bidOf(token, price, side === 'BUY'), size };
};

/** The side of yes that a change of the token changes. */
const checkedSide = (change: JsonObject, token: Token): 'bid' | 'ask' =>
  (change['side'] === 'BUY') === token.isYes ? 'bid' : 'ask';

/** The venue writes a bid of 0 or an ask of 1 for an empty side. */
const topOf = (us: number, message: JsonObject, tokens: Tokens): readonly BookMessage[] => {
  const token = tokens.get(textOf(message['asset_id']) ?? '');
  if (!token) return [refused(us, message, { ticker: null, reason: wrong.token })];
  const venueUs = venueTimeOf(message);
  const bid = priceOf(message['best_bid']);
  const ask = priceOf(message['best_ask']);
  const turned = (price: number | null): number | null => (price === null ? null : one - price);
  const top = token.isYes ? { bid, ask } : { bid: turned(ask), ask: turned(bid) };
  return [{ kind: 'top', us, ...place, venueUs, ticker: token.ticker, ...top }];
};

/** A trade on either token of a market. Its id is the same on both. */
const tradeOf = (us: number, message: JsonObject, tokens: Tokens): readonly BookMessage[] => {
  const token = tokens.get(textOf(message['asset_id']) ?? '');
  if (!token) return [refused(us, message, { ticker: null, reason: wrong.token })];
  tokens.hashes.trade(message);
  const outcome = token.isYes ? 'yes' : 'no';
  const read = channelTradeOf(message, { ticker: token.ticker, outcome, receivedUs: us });
  // Without a ticker the refusal leaves the book certain.
  if (typeof read === 'string') return [refused(us, message, { ticker: null, reason: read })];
  return [{ kind: 'trade', us, ...place, ...read }];
};

/** Both tokens of a market have one step. It counts from the receipt of the message. */
const tickSizeOf = (us: number, message: JsonObject, tokens: Tokens): readonly BookMessage[] => {
  const token = tokens.get(textOf(message['asset_id']) ?? '');
  if (!token) return [refused(us, message, { ticker: null, reason: wrong.token })];
  const step = priceOf(message['new_tick_size']);
  if (step === null) return [refused(us, message, { ticker: null, reason: wrong.price })];
  tokens.hashes.tickSize(textOf(message['asset_id']) ?? '', message['new_tick_size']);
  const terms = { tick_size: tickSizeText([['0', '1', millionthsText(step)]]) };
  const fact = withKnowledge({ kind: 'market', ticker: token.ticker }, { receivedUs: us, createdUs: null }, terms);
  return [{ kind: 'market', us, fact }];
};

const resolvedOf = (us: number, message: JsonObject, tokens: Tokens): readonly BookMessage[] => {
  const known = (listOf(message['assets_ids']) ?? []).flatMap((id) => tokens.get(textOf(id) ?? '') ?? []);
  const winner = tokens.get(textOf(message['winning_asset_id']) ?? '');
  const ticker = known[0]?.ticker ?? winner?.ticker ?? null;
  if (ticker === null) return [refused(us, message, { ticker, reason: wrong.token })];
  if (winner?.ticker !== ticker) return [refused(us, message, { ticker: null, reason: wrong.winner })];
  const result = winner.isYes ? 'yes' : 'no';
  const fact = {
    kind: 'market',
    ticker,
    venue_status: 'resolved',
    result,
    settlement_us: venueTimeOf(message),
  } as const;
  return [{ kind: 'market', us, fact: withKnowledge(fact, { receivedUs: us, createdUs: null }) }];
};
