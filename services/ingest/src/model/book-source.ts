import type { SpanClock } from '@almanac/contracts';
import type { BookRun } from './book-run.js';
import type { BookMessage } from './feed-message.js';
import type { FrameRun } from './frame-run.js';
import type { MarketFact } from './market-fact.js';

/** Runs stand for the messages of their rows. */
export type BookRuns = BookRun | FrameRun;

/** A recording. Runs stand for the messages of their rows. */
export interface BookSource<Item extends BookMessage | BookRuns = BookMessage> {
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
  /** Whose clock dates the messages. Default: that of the receipt. */
  readonly clock?: () => SpanClock;
  /** Lines or rows read so far. Absent if each message is one. */
  readonly rowsRead?: () => number;
  readonly blocks: () => AsyncIterable<readonly Item[]>;
}
