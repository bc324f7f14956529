import type { Sequences } from './sequence-rules.js';

export interface RebuildOptions {
  /** A file that is sorted by market is in time order only within each subscription. Default: as a whole. */
  readonly inTimeOrder?: 'feed' | 'subscription';
  /** What the numbers say. Default: every message is there. */
  readonly sequences?: Sequences;
  /** A longer silence may hide a loss, unless numbers exclude it. Default: none does. */
  readonly silenceUs?: number;
  /**
   * Files are cut from one recording at any place. A book goes on in the next file, also if its first message is a whole
   * book, and of the changes before the first book of a market only one is refused.
   */
  readonly isCut?: boolean;
}
