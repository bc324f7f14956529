import { besides } from './book-run.js';
import type { BookMessage, Side } from './feed-message.js';

/** Rows of a block of lines at most, usually. Others are in further columns. */
export const frameRowsMax = 4_096;

/** Plain changes of books by column. NaN is null. */
export class FrameColumns {
  count = 0;
  readonly line = new Float64Array(frameRowsMax);
  readonly us = new Float64Array(frameRowsMax);
  /** NaN: the venue numbers no messages. */
  readonly sid = new Float64Array(frameRowsMax);
  readonly seq = new Float64Array(frameRowsMax);
  readonly venueUs = new Float64Array(frameRowsMax);
  readonly tickers: string[] = Array.from({ length: frameRowsMax }, () => '');
  /** The id that the frame has for the ticker. Only the reader of the venue needs it. */
  readonly ids: string[] = Array.from({ length: frameRowsMax }, () => '');
  readonly isYes = new Uint8Array(frameRowsMax);
  readonly price = new Float64Array(frameRowsMax);
  /** By how much the size changes. Without a number of a sequence: the new size. */
  readonly amount = new Float64Array(frameRowsMax);
  /** One of `besides`. */
  readonly beside = new Uint8Array(frameRowsMax);
  readonly bid = new Float64Array(frameRowsMax);
  readonly ask = new Float64Array(frameRowsMax);
}

/**
 * Neighbouring plain changes, in columns that later frames reuse, and of any markets. With a subscription, each row is a `change`.
 * Without one, it is a `level` and the `top` beside it.
 */
export interface FrameRun {
  readonly kind: 'frames';
  readonly sid: number | null;
  count: number;
  /** The row that is taken. */
  at: number;
  readonly columns: FrameColumns;
  /** The first row in the columns. */
  readonly first: number;
  /** A row as messages, for one that is not as plain as it looked. */
  readonly messagesOf: (row: number) => readonly BookMessage[];
}

export const frameRun = (columns: FrameColumns, first: number, count: number): FrameRun => ({
  kind: 'frames',
  sid: orNull(columns.sid[first]),
  count,
  at: 0,
  columns,
  first,
  messagesOf: (row) => messagesOf(columns, first + row),
});

const orNull = (value: number | undefined): number | null =>
  value === undefined || Number.isNaN(value) ? null : value;

/** A row as the messages that a parser makes of it. */
export const messagesOf = (columns: FrameColumns, at: number): readonly BookMessage[] => {
  const { line, us, venueUs, sid, seq, price, amount, beside, bid, ask } = columns;
  const of = { line: line[at] ?? 0 };
  const size = amount[at] ?? 0;
  const time = us[at] ?? 0;
  const market = { venueUs: orNull(venueUs[at]), ticker: columns.tickers[at] ?? '' };
  const level: { side: Side; price: number } = { side: columns.isYes[at] === 1 ? 'yes' : 'no', price: price[at] ?? 0 };
  const [subscription, number] = [orNull(sid[at]), orNull(seq[at])];
  if (subscription !== null)
    return [{ kind: 'change', us: time, ...market, sid: subscription, seq: number, ...level, by: size, ...of }];
  const place = { us: time, sid: null, seq: null };
  const changed = { kind: 'level', ...place, ...market, ...level, size, ...of } as const;
  const kind = beside[at] ?? besides.nothing;
  if (kind === besides.nothing) return [changed];
  const checks = kind === besides.top ? {} : { checks: kind === besides.bid ? ('bid' as const) : ('ask' as const) };
  return [changed, { kind: 'top', ...place, ...market, bid: orNull(bid[at]), ask: orNull(ask[at]), ...checks, ...of }];
};
