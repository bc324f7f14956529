import { millionthsText } from '../values/millionths.js';
import type { Book } from './book.js';
import type { CoinPrices } from './coin-prices.js';

/** The state of one market's book after a message, as it is stored. Texts are what the store reads. */
export interface BookRow {
  readonly us: number;
  readonly venueUs: number | null;
  readonly seq: number | null;
  readonly bid: string | null;
  readonly ask: string | null;
  readonly coinPrice: string | null;
  /** How old the coin's price was, null without one. */
  readonly coinAgeUs: number | null;
  readonly yes: string;
  readonly no: string;
}

/** A market whose book is certain; the times and `seq` are those of the message that made its state. */
export interface SampledMarket {
  readonly ticker: string;
  readonly book: Book;
  us: number;
  venueUs: number | null;
  seq: number | null;
  /** Whether the state is in no row yet. */
  isNew: boolean;
  coinPrice: string | null;
  coinAgeUs: number | null;
}

export interface Sampler {
  /** Comes before a message at `us` changes the book: what was the last state of an earlier interval becomes a row. */
  before(market: SampledMarket, us: number): void;
  /** The book has changed. */
  after(
    market: SampledMarket,
    at: { readonly us: number; readonly venueUs: number | null; readonly seq: number | null },
  ): void;
  /** The state is the last certain one: it becomes a row whatever the interval. */
  last(market: SampledMarket): void;
}

/** Every change: one row a microsecond, the state after the last message of it. */
export const everyChangeUs = 1;

/**
 * Rows of books: the last state of each interval, at the time of the message that made it. Intervals are aligned to the
 * epoch, as the downsampling of reads is, so reading with a step that is a multiple of the interval gives what reading
 * every change with that step would give. An interval without a message has no row: nothing was observed in it.
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
    const [bid, ask] = [book.bid(), book.ask()];
    emit(market.ticker, {
      us,
      venueUs,
      seq,
      bid: bid === null ? null : millionthsText(bid),
      ask: ask === null ? null : millionthsText(ask),
      coinPrice,
      coinAgeUs,
      yes: book.text('yes'),
      no: book.text('no'),
    });
  };
  return {
    before: (market, us) => {
      if (market.isNew && slotOf(us) !== slotOf(market.us)) last(market);
    },
    after: (market, { us, venueUs, seq }) => {
      const coin = coins.at(market.ticker, us);
      market.us = us;
      market.venueUs = venueUs;
      market.seq = seq;
      market.coinPrice = coin?.price ?? null;
      market.coinAgeUs = coin?.ageUs ?? null;
      market.isNew = true;
    },
    last,
  };
};
