import type { CatalogueFact } from '@almanac/contracts';

/**
 * What a feed of order books says, in one form for every venue and for files as for live captures: a parser makes these
 * of a venue's own messages, `rebuild.ts` makes books of them.
 *
 * Times are integer microseconds: `us` when it was received, `venueUs` the venue's own. Prices (fractions of 1) and
 * sizes (contracts) are integers in millionths, as `readMillionths` gives them: the decimals of the columns they go
 * to, so nothing is rounded on the way. A parser never throws: what it cannot read is `refused`.
 */
export type BookMessage =
  | BookSnapshot
  | BookChange
  | BookLevel
  | FeedActivity
  | FeedOpened
  | FeedLost
  | VenueTop
  | CoinTrade
  | MarketListed
  | Refused;

export type Side = 'yes' | 'no';

/** Price and size in millionths; a size in a book is above 0. */
export type Level = readonly [price: number, size: number];

/** Where a message stands in its feed. `seq` counts by one within `sid`, over all of its markets; both null where a venue has none. */
interface Placed {
  readonly us: number;
  readonly sid: number | null;
  readonly seq: number | null;
}

interface OfMarket extends Placed {
  readonly venueUs: number | null;
  readonly ticker: string;
}

/** The whole book of a market: bids of both sides in any order. It ends a gap. */
export interface BookSnapshot extends OfMarket {
  readonly kind: 'snapshot';
  readonly yes: readonly Level[];
  readonly no: readonly Level[];
}

/** The size at a price grew by this (below 0: shrank). Kalshi's deltas. */
export interface BookChange extends OfMarket {
  readonly kind: 'change';
  readonly side: Side;
  readonly price: number;
  readonly by: number;
}

/** The size at a price is this now, 0 where the level is gone. Polymarket's price changes. */
export interface BookLevel extends OfMarket {
  readonly kind: 'level';
  readonly side: Side;
  readonly price: number;
  readonly size: number;
}

/** A message that changes no book: it counts in its sequence, where it has one, and shows that the feed is alive. */
export interface FeedActivity extends Placed {
  readonly kind: 'activity';
}

/** A subscription begins: its sequence begins anew, and what an earlier one of this `sid` said ends here. */
export interface FeedOpened extends Placed {
  readonly kind: 'opened';
}

/**
 * From now on messages may be missing: of one market, of all markets of a subscription, or, both null, of all. The time
 * in doubt begins with the last message before this one, and ends for each market with its next snapshot.
 */
export interface FeedLost {
  readonly kind: 'lost';
  readonly us: number;
  readonly ticker: string | null;
  readonly sid: number | null;
  readonly reason: string;
}

/** The best bid and ask on yes as the venue itself says it, null where it says none: to check books, never to make them. */
export interface VenueTop extends OfMarket {
  readonly kind: 'top';
  readonly bid: number | null;
  readonly ask: number | null;
}

/** A trade of a coin, such as `BTC-USD`; `price` is an exact decimal as `readDecimal` gives it. */
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

/**
 * What could not be read. What is known of its place goes along: with a ticker that market alone is in doubt, with a
 * `seq` alone all of the subscription, with neither the next jump in the sequence tells. `reason` is one of few, so
 * that it can be counted by.
 */
export interface Refused {
  readonly kind: 'refused';
  readonly us: number | null;
  readonly ticker: string | null;
  readonly sid: number | null;
  readonly seq: number | null;
  readonly reason: string;
  readonly text: string;
}

/** What is not known of it is null. */
export const refusal = (known: Partial<Omit<Refused, 'kind'>> & Pick<Refused, 'reason' | 'text'>): Refused => {
  const { us = null, ticker = null, sid = null, seq = null, reason, text } = known;
  return { kind: 'refused', us, ticker, sid, seq, reason, text };
};
