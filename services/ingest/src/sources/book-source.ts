import type { BookMessage } from '../books/feed-message.js';
import type { MarketFact } from '../mapping/market-reader.js';

export interface BookSource {
  readonly name: () => string;
  /** The fact that a ticker alone gives about its market, if the recording does not describe it. */
  readonly factOf: (ticker: string) => MarketFact;
  /** What it is in time order in. Default: as a whole. */
  readonly inTimeOrder?: 'feed' | 'subscription';
  readonly sizeBytes: number;
  /** Bytes of the file read so far, compressed if the file is. */
  readonly bytesRead: () => number;
  /** Files of the recording that are not read. */
  readonly unread?: readonly string[];
  /** Lines or rows read so far. Absent if each message is one. */
  readonly rowsRead?: () => number;
  readonly blocks: () => AsyncIterable<readonly BookMessage[]>;
}
