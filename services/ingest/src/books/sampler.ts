import type { Book } from '../model/book.js';
import type { BookRow } from '../model/book-row.js';
import type { CoinPrices } from './coin-prices.js';

/** A market whose book is certain. The times and `seq` are from the last message that changed it. */
export interface SampledMarket {
  readonly ticker: string;
  readonly book: Book;
  us: number;
  venueUs: number | null;
  seq: number | null;
  isNew: boolean;
  coinPrice: string | null;
  coinAgeUs: number | null;
}

export interface Sampler {
  /** Call before a message at `us` changes the book. The last state of an earlier interval becomes a row. */
  before(market: SampledMarket, us: number): void;
  after(market: SampledMarket, us: number, venueUs: number | null, seq: number | null): void;
  /** Makes a row of the last certain state, whatever the interval. */
  last(market: SampledMarket): void;
  /** Forgets the last state. */
  discard(market: SampledMarket): void;
}

/**
 * Makes rows of books: the last state of each interval, at the time of its message. Intervals are aligned to the epoch,
 * like the downsampling of reads. So reading with a step that is a multiple of the interval returns the same as if
 * every change were stored. An interval without a message has no row.
 */
export const sampler = (
  intervalUs: number,
  coins: CoinPrices,
  emit: (ticker: string, row: BookRow) => void,
): Sampler => {
  const slotOf = (us: number): number => Math.floor(us / intervalUs);
  const last = (market: SampledMarket): void => {
    if (!market.isNew) return;
    market.isNew = false;
    const { book, us, venueUs, seq, coinPrice, coinAgeUs } = market;
    emit(market.ticker, { us, venueUs, seq, book, coinPrice, coinAgeUs });
  };
  return {
    before: (market, us) => {
      if (market.isNew && slotOf(us) !== slotOf(market.us)) last(market);
    },
    after: (market, us, venueUs, seq) => {
      const coin = coins.at(market.ticker, us);
      market.us = us;
      market.venueUs = venueUs;
      market.seq = seq;
      market.coinPrice = coin?.price ?? null;
      market.coinAgeUs = coin?.ageUs ?? null;
      market.isNew = true;
    },
    last,
    discard: (market) => {
      market.isNew = false;
    },
  };
};
