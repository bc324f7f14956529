import type { BookMessage } from './feed-message.js';

/** What comes beside a change: nothing, or the best prices of the venue, of which one side may be compared with the book. */
export const besides = { nothing: 0, top: 1, bid: 2, ask: 3 } as const;

/** Changes by column. NaN is null. */
export interface RunChanges {
  readonly ticker: string;
  readonly venueUs: Float64Array;
  /** Whether a row changes the bids of yes (1) or of no (0). */
  readonly isYes: Uint8Array;
  readonly price: Float64Array;
  readonly size: Float64Array;
  /** One of `besides`. */
  readonly beside: Uint8Array;
  readonly bid: Float64Array;
  readonly ask: Float64Array;
}

/**
 * Neighbouring plain messages of one market by column, so that none is an object: of each row a `level` and the `top` beside it, or
 * an `activity`. They have no numbers of a sequence.
 */
export interface BookRun {
  readonly kind: 'run';
  readonly sid: number;
  /** Of the first row. */
  readonly line: number;
  readonly count: number;
  /** The row that is taken. */
  at: number;
  readonly us: Float64Array;
  /** Null: every row is an activity. */
  readonly changes: RunChanges | null;
  /** A row as messages, for one that is not as plain as it looked. */
  readonly messagesOf: (row: number) => readonly BookMessage[];
}
