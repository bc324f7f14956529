import { besides } from '../../model/book-run.js';
import { type FrameColumns, frameRowsMax } from '../../model/frame-run.js';
import { type FrameScanner, inYears, nameBytes } from '../../sources/frame-scanner.js';
import { one } from '../../values/millionths.js';
import type { PlainReader } from '../venue.js';
import type { BookHashes } from './polymarket-hash.js';

const open = 0x7b;
const close = 0x7d;
const comma = 0x2c;
const openList = 0x5b;
const closeList = 0x5d;

const names = {
  market: nameBytes('market'),
  changes: nameBytes('price_changes'),
  sent: nameBytes('timestamp'),
  type: nameBytes('event_type'),
  change: nameBytes('price_change'),
  id: nameBytes('asset_id'),
  price: nameBytes('price'),
  size: nameBytes('size'),
  side: nameBytes('side'),
  buy: nameBytes('BUY'),
  sell: nameBytes('SELL'),
  bid: nameBytes('best_bid'),
  ask: nameBytes('best_ask'),
} as const;

/** Bits of what an object has. */
const has = { market: 1, changes: 2, sent: 4, type: 8 } as const;
const hasNeeded = has.changes | has.sent | has.type;
const of = { id: 1, price: 2, size: 4, side: 8, bid: 16, ask: 32 } as const;
const ofNeeded = of.id | of.price | of.size | of.side;

interface KnownToken {
  readonly ticker: string;
  readonly isYes: boolean;
  readonly market: { readonly leading: string | null };
}

export interface KnownTokens {
  readonly known: (id: string) => KnownToken | undefined;
  readonly hashes: Pick<BookHashes, 'isDue'>;
}

/**
 * Reads frames with changes of known tokens by column, as `changesOf` reads them: those of the token that leads. A change whose hash is
 * due to be checked is left to it.
 */
export class PlainChanges implements PlainReader {
  private rows = 0;
  private readonly led = new Set<KnownToken['market']>();
  private readonly following = new Set<KnownToken['market']>();
  private id = '';
  private price = NaN;
  private size = NaN;
  private isBid = false;
  private bid = NaN;
  private ask = NaN;

  constructor(private readonly tokens: KnownTokens) {}

  read(scan: FrameScanner, to: FrameColumns, row: number): number {
    if (!scan.is(open)) return 0;
    this.rows = 0;
    let [seen, sentUs] = [0, NaN];
    do {
      if (!scan.name()) return 0;
      let bit = 0;
      if (scan.isText(names.changes)) bit = this.readChanges(scan, to, row) ? has.changes : 0;
      else if (scan.isText(names.sent)) bit = Number.isNaN((sentUs = sentIn(scan))) ? 0 : has.sent;
      else if (scan.isText(names.type)) bit = scan.text() && scan.isText(names.change) ? has.type : 0;
      else if (scan.isText(names.market)) bit = scan.text() ? has.market : 0;
      if (bit === 0 || (seen & bit) !== 0) return 0;
      seen |= bit;
    } while (scan.is(comma));
    if ((seen & hasNeeded) !== hasNeeded || !scan.is(close)) return 0;
    to.venueUs.fill(sentUs, row, row + this.rows);
    return this.rows;
  }

  isStill({ ids, venueUs }: FrameColumns, row: number): boolean {
    return !this.tokens.hashes.isDue(ids[row] ?? '', (venueUs[row] ?? NaN) / 1_000);
  }

  private readChanges(scan: FrameScanner, to: FrameColumns, row: number): boolean {
    if (!scan.is(openList)) return false;
    this.led.clear();
    this.following.clear();
    do if (!this.readChange(scan) || !this.addChange(to, row + this.rows)) return false;
    while (scan.is(comma));
    // A change of the other token counts if the one that leads has none.
    for (const market of this.following) if (!this.led.has(market)) return false;
    return scan.is(closeList);
  }

  private addChange(to: FrameColumns, row: number): boolean {
    const { id, price, isBid, bid, ask } = this;
    const token = this.tokens.known(id);
    if (token === undefined || row >= frameRowsMax) return false;
    const { isYes, market } = token;
    if (market.leading !== id) return this.following.add(market).size > 0;
    this.led.add(market);
    this.rows += 1;
    to.sid[row] = NaN;
    to.seq[row] = NaN;
    to.tickers[row] = token.ticker;
    to.ids[row] = id;
    to.isYes[row] = isYes === isBid ? 1 : 0;
    to.price[row] = isBid ? price : one - price;
    to.amount[row] = this.size;
    to.beside[row] = besides.nothing;
    if (bid === -1) return true;
    to.beside[row] = ask === -1 ? besides.top : isYes === isBid ? besides.bid : besides.ask;
    to.bid[row] = isYes ? within(bid) : one - within(ask);
    to.ask[row] = isYes ? within(ask) : one - within(bid);
    return true;
  }

  private readChange(scan: FrameScanner): boolean {
    if (!scan.is(open)) return false;
    let seen = 0;
    [this.bid, this.ask] = [-1, -1];
    do {
      if (!scan.name()) return false;
      const bit = this.readField(scan);
      if (bit < 0 || (seen & bit) !== 0) return false;
      seen |= bit;
    } while (scan.is(comma));
    return (seen & ofNeeded) === ofNeeded && scan.is(close);
  }

  /** Returns the bit of the name that was read, 0 for one that does not count, or -1. */
  private readField(scan: FrameScanner): number {
    if (scan.isText(names.id)) {
      if (!scan.text()) return -1;
      this.id = scan.knownText();
      return of.id;
    }
    if (scan.isText(names.price)) {
      this.price = decimalIn(scan);
      return this.price > 0 && this.price < one ? of.price : -1;
    }
    if (scan.isText(names.size)) return (this.size = decimalIn(scan)) >= 0 ? of.size : -1;
    if (scan.isText(names.side)) {
      if (!scan.text()) return -1;
      this.isBid = scan.isText(names.buy);
      return this.isBid || scan.isText(names.sell) ? of.side : -1;
    }
    if (scan.isText(names.bid)) return (this.bid = decimalIn(scan)) >= 0 ? of.bid : -1;
    if (scan.isText(names.ask)) return (this.ask = decimalIn(scan)) >= 0 ? of.ask : -1;
    return scan.skipValue() ? 0 : -1;
  }
}

const decimalIn = (scan: FrameScanner): number => (scan.text() ? scan.millionths() : NaN);

const sentIn = (scan: FrameScanner): number => inYears((scan.text() ? scan.textInteger() : NaN) * 1_000);

/** The venue writes a bid of 0 or an ask of 1 for an empty side. NaN: none. */
const within = (price: number): number => (price > 0 && price < one ? price : NaN);
