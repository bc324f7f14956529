import type { Book } from '../model/book.js';
import type { VenueTop } from '../model/feed-message.js';

/** The best bid and ask that the venue states with its changes of one time. Absent: nothing is stated about this side. */
export interface Claims {
  readonly venueUs: number | null;
  bid?: number | null;
  ask?: number | null;
}

/**
 * A change states the best prices after all of its event, whose other changes may follow. So only the side that it
 * changes is a claim, and it is compared after the last change with its time of the venue.
 */
export const claimed = (before: Claims | null, top: VenueTop): Claims => {
  const claims: Claims = before?.venueUs === top.venueUs ? before : { venueUs: top.venueUs };
  if (top.checks === 'bid') claims.bid = top.bid;
  if (top.checks === 'ask') claims.ask = top.ask;
  return claims;
};

export const isContradicted = ({ bid, ask }: Claims, book: Book): boolean =>
  (bid !== undefined && bid !== book.bid()) || (ask !== undefined && ask !== book.ask());
