import type { CatalogueFact } from '@almanac/contracts';
import { copyText } from '../values/copy-text.js';
import { newBook } from './book.js';
import type { BookChange, BookLevel, BookMessage, BookSnapshot, FeedLost, Refused, VenueTop } from './feed-message.js';
import { coinPrices } from './coin-prices.js';
import { type BookRow, type SampledMarket, type Sampler, sampler } from './sampler.js';
import { subscriptions, type Placed } from './subscriptions.js';

/** A time in which a market's book is unknown: after `startUs` and before `endUs`, which is null while it lasts. */
export interface Gap {
  readonly ticker: string;
  readonly startUs: number;
  readonly endUs: number | null;
  readonly reason: string;
}

/** The results of a feed. These calls must not throw or block. */
export interface RebuildSink {
  /** The rows of one market come in time order. */
  row(ticker: string, row: BookRow): void;
  /** Called when a gap begins, and with the same start when it ends. */
  gap(gap: Gap): void;
  fact(fact: CatalogueFact): void;
  /** A message that was not used. `reason` is one of a few. */
  refused(reason: string, text: string): void;
  /** The venue's own top of book, and ours at that moment, null while the book is uncertain. */
  top?(top: VenueTop, ours: { readonly bid: number | null; readonly ask: number | null } | null): void;
}

export interface RebuildCounts {
  snapshots: number;
  changes: number;
  /** Changes while the market's book was uncertain. No row contains them. */
  uncertainChanges: number;
  gaps: number;
}

/** Limit of markets per feed. Changes of further ones are refused. */
const marketsMax = 50_000;

interface Market extends SampledMarket {
  isCertain: boolean;
  /** Null while the book is certain, and before the first snapshot and after the close, which are not gaps. */
  openGap: { readonly startUs: number; readonly reason: string } | null;
  closeUs: number | null;
  isStarted: boolean;
}

/**
 * Rebuilds books from the messages of one feed. A book is certain from a snapshot until a message may be missing: a
 * jump in the sequence, a lost connection, a message that cannot be read or applied. Then it has no rows until its next
 * snapshot, and the time between is a gap. After a market's close nothing can be missing.
 */
export class Rebuild {
  readonly counts: RebuildCounts = { snapshots: 0, changes: 0, uncertainChanges: 0, gaps: 0 };
  private readonly markets = new Map<string, Market>();
  private readonly coins = coinPrices();
  private readonly sequences = subscriptions();
  private readonly samples: Sampler;
  /** The time of the last message of any kind, and of the last message of the book feed. */
  private lastUs = 0;
  private lastMessageUs = 0;

  constructor(
    intervalUs: number,
    private readonly sink: RebuildSink,
  ) {
    this.samples = sampler(intervalUs, this.coins, (ticker, row) => sink.row(ticker, row));
  }

  take(message: BookMessage): void {
    if (message.kind === 'market') return this.applyFact(message.fact);
    if (message.kind === 'lost') return this.onFeedLost(message);
    if (message.kind === 'refused') return this.refuse(message);
    if (message.us < this.lastUs) return this.refuse(backwards(message));
    this.lastUs = message.us;
    if (message.kind === 'coin') this.coins.see(message);
    else this.takePlaced(message);
  }

  /** For a quiet feed: makes rows of all intervals that ended before `us`. */
  flush(us: number): void {
    for (const market of this.markets.values()) if (market.isCertain) this.samples.before(market, us);
  }

  finish(): void {
    for (const market of this.markets.values()) if (market.isCertain) this.samples.last(market);
  }

  private takePlaced(message: Extract<BookMessage, Placed>): void {
    if (message.kind === 'opened') {
      this.openGaps(this.sequences.tickersOf(message.sid), this.lastMessageUs, reasons.opened);
      this.sequences.remove(message.sid);
    }
    if (!this.isNext(message)) return this.rejectMessage(message, reasons.repeated);
    if (message.kind === 'snapshot') this.load(message);
    else if (message.kind === 'change' || message.kind === 'level') this.change(message);
    else if (message.kind === 'top') this.sink.top?.(message, oursOf(this.markets.get(message.ticker)));
    this.lastMessageUs = message.us;
  }

  /** False for a repeated message. A jump makes all markets of the subscription uncertain. */
  private isNext(placed: Placed): boolean {
    const { sequences } = this;
    const place = sequences.place(placed);
    if (place === 'repeated') return false;
    if (place === 'jump')
      this.openGaps(sequences.tickersOf(placed.sid), sequences.lastMessageUs(placed.sid), reasons.jump);
    sequences.recordMessage(placed);
    return true;
  }

  private load(message: BookSnapshot): void {
    const market = this.marketOf(message.ticker);
    if (!market) return this.rejectMessage(message, reasons.tooMany);
    if (market.isCertain) this.samples.before(market, message.us);
    if (!market.book.load(message.yes, message.no)) {
      this.rejectMessage(message, reasons.twice);
      return this.startGap(market, this.lastMessageUs, reasons.twice);
    }
    if (market.openGap !== null) {
      if (!market.isStarted) this.counts.gaps += 1;
      this.sink.gap({ ticker: market.ticker, ...market.openGap, endUs: message.us });
    }
    market.openGap = null;
    market.isCertain = true;
    market.isStarted = true;
    this.sequences.belongs(message.sid, market.ticker);
    this.counts.snapshots += 1;
    this.samples.after(market, message);
  }

  private change(message: BookChange | BookLevel): void {
    const market = this.marketOf(message.ticker);
    if (!market) return this.rejectMessage(message, reasons.tooMany);
    if (!market.isCertain) return this.changeWithoutBook(market, message);
    this.samples.before(market, message.us);
    const { side, price } = message;
    if (message.kind === 'level') market.book.set(side, price, message.size);
    else if (!market.book.change(side, price, message.by)) {
      this.rejectMessage(message, reasons.negative);
      return this.startGap(market, market.us, reasons.negative);
    }
    this.counts.changes += 1;
    this.samples.after(market, message);
  }

  private changeWithoutBook(market: Market, message: BookChange | BookLevel): void {
    this.counts.uncertainChanges += 1;
    if (market.isStarted) return;
    this.rejectMessage(message, reasons.early);
    this.startGap(market, message.us, reasons.early);
  }

  private onFeedLost({ ticker, sid, reason }: FeedLost): void {
    if (ticker !== null) return this.openGaps([ticker], this.lastMessageUs, reason);
    this.openGaps(sid === null ? this.markets.keys() : this.sequences.tickersOf(sid), this.lastMessageUs, reason);
    this.sequences.remove(sid);
  }

  private refuse({ us, ticker, sid, seq, reason, text }: Refused): void {
    this.sink.refused(reason, text);
    const startUs = this.lastMessageUs;
    if (seq !== null && !this.isNext({ us: us ?? this.lastUs, sid, seq })) return;
    if (ticker !== null) this.openGaps([ticker], startUs, reason);
    else if (seq !== null) this.openGaps(this.sequences.tickersOf(sid), startUs, reason);
  }

  private openGaps(tickers: Iterable<string>, startUs: number, reason: string): void {
    for (const ticker of tickers) {
      const market = this.markets.get(ticker);
      if (market?.isCertain === true) this.startGap(market, startUs, reason);
    }
  }

  private startGap(market: Market, startUs: number, reason: string): void {
    if (market.openGap !== null) return;
    if (market.isCertain) this.samples.last(market);
    market.isCertain = false;
    if (market.closeUs !== null && startUs >= market.closeUs) return;
    market.openGap = { startUs, reason };
    // Before its first snapshot, nobody knows whether the market exists.
    if (!market.isStarted) return;
    this.counts.gaps += 1;
    this.sink.gap({ ticker: market.ticker, ...market.openGap, endUs: null });
  }

  private applyFact(fact: CatalogueFact): void {
    const market = fact.kind === 'market' ? this.marketOf(fact.ticker) : null;
    if (market && fact.kind === 'market' && typeof fact.close_us === 'number') market.closeUs = fact.close_us;
    this.sink.fact(fact);
  }

  private marketOf(ticker: string): Market | null {
    const known = this.markets.get(ticker);
    if (known) return known;
    if (this.markets.size >= marketsMax) return null;
    const market = newMarket(copyText(ticker));
    this.markets.set(market.ticker, market);
    return market;
  }

  private rejectMessage(message: BookMessage, reason: string): void {
    this.sink.refused(reason, JSON.stringify(message));
  }
}

const reasons = {
  jump: 'messages are missing in the sequence',
  opened: 'the subscription began anew',
  repeated: 'repeated message',
  backwards: 'the time is earlier than that of the previous message',
  twice: 'the snapshot has a price twice on one side',
  early: 'the change comes before the snapshot of its market',
  negative: 'the size of a level would be negative',
  tooMany: `the recording has more than ${marketsMax} markets`,
} as const;

const newMarket = (ticker: string): Market => ({
  ticker,
  book: newBook(),
  us: 0,
  venueUs: null,
  seq: null,
  isNew: false,
  coinPrice: null,
  coinAgeUs: null,
  isCertain: false,
  openGap: null,
  closeUs: null,
  isStarted: false,
});

const oursOf = (market: Market | undefined) =>
  market?.isCertain === true ? { bid: market.book.bid(), ask: market.book.ask() } : null;

/** Its `seq` counts, so that the next message is not a jump. Its market's book becomes uncertain. */
const backwards = (message: Extract<BookMessage, { us: number }>): Refused => ({
  kind: 'refused',
  us: null,
  ticker: 'ticker' in message && message.kind !== 'top' ? message.ticker : null,
  sid: 'sid' in message && 'seq' in message ? message.sid : null,
  seq: 'seq' in message ? message.seq : null,
  reason: reasons.backwards,
  text: JSON.stringify(message),
});
