import { besides, type BookRun } from '../model/book-run.js';
import { emptyCell } from '../sources/cells.js';
import type { OutcomeIds } from '../sources/known-outcomes.js';
import { one } from '../values/millionths.js';
import type { ChangeCells, HourlyCells } from '../venues/venue.js';

/** Rows of one token that follow each other. */
export interface TokenPlace {
  readonly ids: OutcomeIds;
  readonly isYes: boolean;
  readonly sid: number;
  /** Rows from this time on come after a silence. */
  readonly beforeUs: number;
}

/** Whether a token is the first outcome. Null: it is neither, or both. */
export const isYesOf = ({ yes, no }: OutcomeIds, token: string): boolean | null =>
  yes === null || no === null || yes === no || (token !== yes && token !== no) ? null : token === yes;

/** The end of the rows that have the token of a row, are changes, and were received at a plain time. */
export const changesEnd = (cells: HourlyCells, from: number, beforeUs: number): number => {
  const { count, received, change } = cells;
  const [market, token] = [cells.market(from), cells.token(from)];
  let row = from;
  while (
    row < count &&
    cells.kind(row) === change &&
    cells.token(row) === token &&
    cells.market(row) === market &&
    (received[row] ?? emptyCell) < beforeUs
  )
    row += 1;
  return row;
};

type MessagesOf = BookRun['messagesOf'];

/** Rows that change no book that is read. */
export const activityRun = (
  { line, received }: HourlyCells,
  { sid, from, to, messagesOf }: { sid: number; from: number; to: number; messagesOf: MessagesOf },
): BookRun => ({
  kind: 'run',
  sid,
  line: line + from,
  count: to - from,
  at: 0,
  us: received.subarray(from, to),
  changes: null,
  messagesOf,
});

/** The changes of a block, which are read once for all of its runs. */
export class HourChanges {
  private readonly cells: ChangeCells;
  private readonly sent: Float64Array;
  private readonly isYes: Uint8Array;
  private readonly price: Float64Array;
  private readonly beside: Uint8Array;
  private readonly bid: Float64Array;
  private readonly ask: Float64Array;

  constructor(private readonly block: HourlyCells) {
    const { count } = block;
    this.cells = block.changes();
    this.sent = new Float64Array(count);
    this.isYes = new Uint8Array(count);
    this.price = new Float64Array(count);
    this.beside = new Uint8Array(count);
    this.bid = new Float64Array(count);
    this.ask = new Float64Array(count);
  }

  /** The plain rows of a token from a row on. Null: the first one is not plain. */
  run({ ids, isYes, sid }: TokenPlace, range: { from: number; to: number; messagesOf: MessagesOf }): BookRun | null {
    const { from } = range;
    let to = from;
    while (to < range.to && this.read(to, isYes)) to += 1;
    if (to === from) return null;
    return {
      ...activityRun(this.block, { ...range, to, sid }),
      changes: {
        ticker: ids.ticker,
        venueUs: this.sent.subarray(from, to),
        isYes: this.isYes.subarray(from, to),
        price: this.price.subarray(from, to),
        size: this.cells.size.subarray(from, to),
        beside: this.beside.subarray(from, to),
        bid: this.bid.subarray(from, to),
        ask: this.ask.subarray(from, to),
      },
    };
  }

  /** A level of the token as a bid on one side of the market. False: the row is not plain. */
  private read(row: number, isYes: boolean): boolean {
    const { sent, price, size, side, bestBid, bestAsk } = this.cells;
    const [sentUs, stated, amount] = [sent[row] ?? NaN, price[row] ?? NaN, size[row] ?? NaN];
    const [bid, ask] = [bestBid[row] ?? NaN, bestAsk[row] ?? NaN];
    const text = side(row);
    const isBid = text === 'BUY';
    if (!(isBid || text === 'SELL') || !(stated > 0 && stated < one) || !(amount < emptyCell)) return false;
    if (Number.isNaN(sentUs) || Number.isNaN(bid) || Number.isNaN(ask)) return false;
    this.sent[row] = sentUs === emptyCell ? (this.block.received[row] ?? 0) : sentUs;
    this.isYes[row] = isYes === isBid ? 1 : 0;
    this.price[row] = isBid ? stated : one - stated;
    if (bid === emptyCell) return true;
    this.beside[row] = ask === emptyCell ? besides.top : isYes === isBid ? besides.bid : besides.ask;
    this.bid[row] = isYes ? within(bid) : one - within(ask);
    this.ask[row] = isYes ? within(ask) : one - within(bid);
    return true;
  }
}

/** The venue writes a bid of 0 or an ask of 1 for an empty side. NaN: none. */
const within = (price: number): number => (price > 0 && price < one ? price : NaN);
