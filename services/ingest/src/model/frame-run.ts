import type { BookChange, BookMessage } from './feed-message.js';

/** Rows of a block of lines at most, usually. Others are in further columns. */
export const frameRowsMax = 4_096;

/** Plain changes of books by column: of each row a `change`. */
export class FrameColumns {
  count = 0;
  readonly us = new Float64Array(frameRowsMax);
  readonly sid = new Float64Array(frameRowsMax);
  readonly seq = new Float64Array(frameRowsMax);
  /** NaN: the venue states no time. */
  readonly venueUs = new Float64Array(frameRowsMax);
  readonly tickers: string[] = Array.from({ length: frameRowsMax }, () => '');
  readonly isYes = new Uint8Array(frameRowsMax);
  readonly price = new Float64Array(frameRowsMax);
  readonly by = new Float64Array(frameRowsMax);
}

/**
 * Neighbouring frames of one subscription that each are a plain change, in columns that later frames reuse. They have numbers of a
 * sequence, and may be of any markets.
 */
export interface FrameRun {
  readonly kind: 'frames';
  readonly sid: number;
  /** Of the first row. The others follow. */
  readonly line: number;
  count: number;
  /** The row that is taken. */
  at: number;
  readonly columns: FrameColumns;
  /** The first row in the columns. */
  readonly first: number;
  /** A row as messages, for one that is not as plain as it looked. */
  readonly messagesOf: (row: number) => readonly BookMessage[];
}

export const frameRun = (columns: FrameColumns, first: number, line: number): FrameRun => {
  const run: FrameRun = {
    kind: 'frames',
    sid: columns.sid[first] ?? 0,
    line,
    count: 1,
    at: 0,
    columns,
    first,
    messagesOf: (row) => [changeOf(run, row)],
  };
  return run;
};

/** A row as the message that its frame is. */
export const changeOf = ({ columns, first, line }: FrameRun, row: number): BookChange => {
  const at = first + row;
  const venueUs = columns.venueUs[at] ?? NaN;
  return {
    kind: 'change',
    us: columns.us[at] ?? 0,
    venueUs: Number.isNaN(venueUs) ? null : venueUs,
    ticker: columns.tickers[at] ?? '',
    sid: columns.sid[at] ?? 0,
    seq: columns.seq[at] ?? 0,
    side: columns.isYes[at] === 1 ? 'yes' : 'no',
    price: columns.price[at] ?? 0,
    by: columns.by[at] ?? 0,
    line: line + row,
  };
};
