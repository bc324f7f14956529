import { millionthsText } from '../values/millionths.js';
import type { Book } from './book.js';
import { bytesDigest } from '../values/bytes-digest.js';

/** The state of one market's book after a message, as a row. */
export interface BookRow {
  readonly us: number;
  readonly venueUs: number | null;
  readonly seq: number | null;
  /** It changes with the next message. */
  readonly book: Pick<Book, 'bid' | 'ask' | 'bids' | 'text' | 'digest'>;
  readonly coinPrice: string | null;
  /** Age of the coin price, null without one. */
  readonly coinAgeUs: number | null;
}

/** The row as texts that ClickHouse reads. */
export const bookRowTexts = ({ book, ...row }: BookRow) => ({
  ...row,
  bid: priceText(book.bid()),
  ask: priceText(book.ask()),
  yes: book.text('yes'),
  no: book.text('no'),
});

const priceText = (price: number | null): string | null => (price === null ? null : millionthsText(price));

const numbers = 4;
const scratch = Buffer.alloc(256);

type Values = Omit<BookRow, 'us' | 'book'>;

/** A digest of the values of a row with a book, whose own digest is given: its text can have kilobytes. */
export const bookRowDigest = ({ venueUs, seq, coinPrice, coinAgeUs }: Values, book: number): number => {
  scratch.writeDoubleLE(venueUs ?? NaN, 0);
  scratch.writeDoubleLE(seq ?? NaN, 8);
  scratch.writeDoubleLE(coinAgeUs ?? NaN, 16);
  scratch.writeDoubleLE(book, 24);
  const end = 8 * numbers + (coinPrice === null ? 0 : scratch.write(coinPrice, 8 * numbers, 'latin1'));
  return bytesDigest(scratch, 0, end);
};
