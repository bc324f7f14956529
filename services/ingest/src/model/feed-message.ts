import type { Book } from './book.js';
import type { CatalogueFact } from '@almanac/contracts';
import type { ReadTrade } from './trade.js';

/**
 * The messages of order-book feeds, in one form for all venues, for files and live captures. Times are integer
 * microseconds: `us` at receipt, `venueUs` by the venue's clock. Prices (fractions of 1) and sizes (contracts) are
 * integers in millionths, like the columns, so nothing is rounded. A parser never throws: what it cannot read becomes
 * `refused`.
 */
export type BookMessage =
  | BookSnapshot
  | BookChange
  | BookLevel
  | BookEdits
  | FeedActivity
  | FeedOpened
  | FeedLost
  | MarketEnded
  | VenueTop
  | CoinTrade
  | MarketTrade
  | MarketListed
  | MarketChanged
  | Refused;

export type Side = 'yes' | 'no';

/** Price and size in millionths. A size in a book is above 0. */
export type Level = readonly [price: number, size: number];

/** A position in a feed. `seq` counts by one within `sid`, over all markets. Null if the venue has none. */
interface Placed {
  /** The line of its first row in a file of lines, for refusals. Otherwise messages are counted. */
  readonly line?: number;
  readonly us: number;
  readonly sid: number | null;
  readonly seq: number | null;
}

interface OfMarket extends Placed {
  readonly venueUs: number | null;
  readonly ticker: string;
}

/** The entire book of a market: bids of both sides in any order. It ends a gap. */
export interface BookSnapshot extends OfMarket {
  readonly kind: 'snapshot';
  /** Whether nothing is known about the book after it. It is a row then, and no span. Default false. */
  readonly isAlone?: boolean;
  /** Whether the venue's hash of the book was computed again, and is the same. Default false. */
  readonly isVerified?: boolean;
  readonly yes: readonly Level[];
  readonly no: readonly Level[];
}

/** The size at a price changed by this, negative if it shrank. Kalshi's deltas. */
export interface BookChange extends OfMarket {
  readonly kind: 'change';
  readonly side: Side;
  readonly price: number;
  readonly by: number;
}

/** The new size at a price, 0 if the level is gone. Polymarket's price changes. */
export interface BookLevel extends OfMarket {
  readonly kind: 'level';
  readonly side: Side;
  readonly price: number;
  readonly size: number;
  /** Whether a book is the venue's after this change, by its hash. False shows nothing: not all that it covers is known. */
  readonly isOf?: (book: Book) => boolean;
}

/** The new size at a price, or how it changed. */
export type BookEdit =
  | { readonly side: Side; readonly price: number; readonly size: number }
  | { readonly side: Side; readonly price: number; readonly by: number };

/** Several changes in one message, of a file with one line a level. */
export interface BookEdits extends OfMarket {
  readonly kind: 'edits';
  readonly edits: readonly BookEdit[];
}

/** A message that changes no book. It counts in its sequence, if it has one, and shows that the feed is alive. */
export interface FeedActivity extends Placed {
  readonly kind: 'activity';
}

/** A subscription begins, and its sequence starts again. Everything of an earlier one with this `sid` ends. */
export interface FeedOpened extends Placed {
  readonly kind: 'opened';
}

/**
 * Messages may be missing from here on: of one market, of all markets of a subscription, or of all if both are null.
 * The gap begins with the last message before this one, and ends for each market with its next snapshot.
 */
export interface FeedLost {
  readonly kind: 'lost';
  readonly us: number;
  readonly ticker: string | null;
  readonly sid: number | null;
  readonly reason: string;
  /** Until when nothing is missing. Default: the last message before this one. */
  readonly untilUs?: number;
}

/** The file has no further rows of this market, and is complete until `us`. The next file may continue its book. */
export interface MarketEnded {
  readonly kind: 'ended';
  readonly us: number;
  readonly ticker: string;
}

/** The venue's own best bid and ask on yes, null if there is none. It only checks books. */
export interface VenueTop extends OfMarket {
  readonly kind: 'top';
  readonly bid: number | null;
  readonly ask: number | null;
  /** The side that a change just before it changed. Our best price of this side must then be the same. */
  readonly checks?: 'bid' | 'ask';
}

/** A trade of a market. It changes no book: the venue sends a change of the book for it. */
export interface MarketTrade extends Placed, ReadTrade {
  readonly kind: 'trade';
}

/** A trade of a coin such as `BTC-USD`. `price` is an exact decimal, as `readDecimal` returns it. */
export interface CoinTrade {
  readonly kind: 'coin';
  readonly us: number;
  readonly symbol: string;
  readonly price: string;
}

export interface MarketListed {
  readonly kind: 'market';
  readonly us: number;
  readonly fact: CatalogueFact;
}

/** A change of a market's status, terms or result. It changes no book. */
export interface MarketChanged extends Placed {
  readonly kind: 'changed';
  readonly fact: CatalogueFact;
}

/**
 * A message that could not be read, with what is known of its position. With a ticker, only that market becomes
 * uncertain. With only a `seq`, the entire subscription does. With neither, the next jump in the sequence shows the
 * loss. `reason` is one of a few, so it can be counted.
 */
export interface Refused {
  readonly kind: 'refused';
  readonly line?: number;
  readonly us: number | null;
  readonly ticker: string | null;
  readonly sid: number | null;
  readonly seq: number | null;
  readonly reason: string;
  readonly text: string;
  /** How many rows of the file it stands for. Default 1. */
  readonly rows?: number;
}

/** Unknown fields are null. */
export const refusal = (known: Partial<Omit<Refused, 'kind'>> & Pick<Refused, 'reason' | 'text'>): Refused => {
  const { us = null, ticker = null, sid = null, seq = null, line, rows, reason, text } = known;
  const optional = { ...(line !== undefined && { line }), ...(rows !== undefined && { rows }) };
  return { kind: 'refused', us, ticker, sid, seq, reason, text, ...optional };
};
