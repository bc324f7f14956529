import type { SpanBasis } from '@almanac/contracts';
import type { Book } from '../model/book.js';
import type { BookMarket } from './book-market.js';
import type { BookChange, BookEdits, BookLevel, BookMessage, Refused } from '../model/feed-message.js';
import { lossReasons as reasons } from './loss-reasons.js';
import type { Sequences } from './sequence-rules.js';
import type { Placed, Subscriptions } from './subscriptions.js';

export type Change = BookChange | BookLevel | BookEdits;

/** False if a size would become negative. The book is then of no more use. */
export const isApplied = (book: Book, message: Change): boolean =>
  message.kind === 'edits' ? message.edits.every((edit) => book.edit(edit)) : book.edit(message);

export const oursOf = (market: BookMarket | undefined) =>
  market !== undefined && market.certainSinceUs !== null ? { bid: market.book.bid(), ask: market.book.ask() } : null;

/** Its `seq` counts, so that the next message is not a jump. Its market's book becomes uncertain. */
export const backwards = (message: Extract<BookMessage, { us: number }>): Refused => ({
  kind: 'refused',
  us: null,
  ticker: 'ticker' in message && message.kind !== 'top' ? message.ticker : null,
  sid: 'sid' in message && 'seq' in message ? message.sid : null,
  seq: 'seq' in message ? message.seq : null,
  reason: reasons.backwards,
  text: JSON.stringify(message),
});

/** A jump of numbers that count over other markets, too, is none. */
export const placeIn = (
  subscriptions: Subscriptions,
  rules: Sequences,
  placed: Placed,
): 'next' | 'jump' | 'repeated' | 'restarted' => {
  const place = subscriptions.place(placed);
  if (place !== 'jump') return place;
  if (rules.ruleOf(placed.sid) === 'shared') return 'next';
  const last = subscriptions.lastOf(placed.sid);
  return last !== null && !rules.isLost(last, placed) ? 'next' : 'jump';
};

/** On what a span rests that begins with this book. */
export const basisOf = (rules: Sequences, { sid, seq }: Placed): SpanBasis =>
  seq === null || rules.ruleOf(sid) === 'shared' ? 'silence' : 'sequence';
