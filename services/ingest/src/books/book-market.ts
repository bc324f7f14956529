import type { CatalogueFact, SpanBasis } from '@almanac/contracts';
import { newBook } from '../model/book.js';
import { copyText } from '../values/copy-text.js';
import { marketsMax } from './loss-reasons.js';
import type { SampledMarket } from './sampler.js';
import type { Claims } from './venue-claims.js';

/** A market of a feed, with what is known of its book. */
export interface BookMarket extends SampledMarket {
  sid: number | null;
  /** Start of the current span. Null while the book is uncertain. */
  certainSinceUs: number | null;
  /** Why the current span is held to be complete. */
  basis: SpanBasis;
  /** End of the current span as last given to the sink. */
  reportedUntilUs: number;
  /** The first change before any snapshot. */
  earlyUs: number | null;
  closeUs: number | null;
  isStarted: boolean;
  /** Whether the recording has given a row of it. */
  hasRow: boolean;
  /** The time of the last message before those with the present time of the venue. */
  beforeUs: number;
  /** Best prices that the venue states, to be compared with the book. */
  claims: Claims | null;
  /** The span that the end of a file interrupted. The next file may continue it. */
  paused: { readonly startUs: number; readonly basis: SpanBasis; readonly sid: number | null } | null;
}

const newMarket = (ticker: string): BookMarket => ({
  ticker,
  book: newBook(),
  us: 0,
  venueUs: null,
  seq: null,
  isNew: false,
  coinPrice: null,
  coinAgeUs: null,
  sid: null,
  certainSinceUs: null,
  basis: 'unknown',
  reportedUntilUs: 0,
  earlyUs: null,
  closeUs: null,
  isStarted: false,
  hasRow: false,
  beforeUs: 0,
  claims: null,
  paused: null,
});

/** The market, which is new if it is not known. Null: there are too many. */
export const marketIn = (markets: Map<string, BookMarket>, ticker: string): BookMarket | null => {
  const known = markets.get(ticker);
  if (known) return known;
  if (markets.size >= marketsMax) return null;
  const market = newMarket(copyText(ticker));
  markets.set(market.ticker, market);
  return market;
};

export const noteClose = (market: BookMarket | null | undefined, fact: CatalogueFact): void => {
  if (market && fact.kind === 'market' && typeof fact.close_us === 'number') market.closeUs = fact.close_us;
};
