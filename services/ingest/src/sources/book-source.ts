import type { BookMessage } from '../books/feed-message.js';
import type { MarketFact } from '../mapping/market-reader.js';

/** A recording of one feed of order books. */
export interface BookSource {
  /** What it turned out to be. */
  readonly name: () => string;
  /** What a ticker says of its market, where the recording tells nothing of it. */
  readonly factOf: (ticker: string) => MarketFact;
  readonly sizeBytes: number;
  /** Bytes read so far, packed ones where it is packed. */
  readonly bytesRead: () => number;
  /** Its messages in the order in which they were received. */
  readonly blocks: () => AsyncIterable<readonly BookMessage[]>;
}
