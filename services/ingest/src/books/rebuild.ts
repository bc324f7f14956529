import type { CatalogueFact } from '@almanac/contracts';
import { copyText } from '../values/copy-text.js';
import { type Book, newBook } from './book.js';
import type { BookChange, BookEdits, BookLevel, BookMessage, BookSnapshot, FeedLost, Refused } from './feed-message.js';
import { coinPrices } from './coin-prices.js';
import type { RebuildCounts, RebuildSink } from './rebuild-sink.js';
import { type SampledMarket, type Sampler, sampler } from './sampler.js';
import { subscriptions, type Placed } from './subscriptions.js';

/** Limit of markets per feed. Changes of further ones are refused. */
const marketsMax = 50_000;

interface Market extends SampledMarket {
  sid: number | null;
  /** Start of the current span. Null while the book is uncertain. */
  certainSinceUs: number | null;
  /** End of the current span as last given to the sink. */
  reportedUntilUs: number;
  /** The first change before any snapshot. */
  earlyUs: number | null;
  closeUs: number | null;
  isStarted: boolean;
}

/** A quiet market's span is reported again after this time. */
const reportEveryUs = 15_000_000;

/**
 * Rebuilds books from the messages of one feed. A book is certain from a snapshot until a message may be missing: a
 * jump in the sequence, a lost connection, a message that cannot be read or applied. Then it has no rows until its next
 * snapshot. The time in which it was certain is a span. It ends with the last message that proves it complete.
 *
 * With samples, the state at the end of a span is no row if its interval was not over: later messages of the interval
 * may be missing. The span then ends before that interval. So a gap that heals leaves the rows of a whole recording.
 */
export class Rebuild {
  readonly counts: RebuildCounts = { snapshots: 0, changes: 0, uncertainChanges: 0, gaps: 0 };
  private readonly markets = new Map<string, Market>();
  private readonly coins = coinPrices();
  private readonly sequences = subscriptions();
  private readonly samples: Sampler;
  /** The time of the last message of any kind: of the feed (null), or of each subscription. */
  private readonly lastUs = new Map<number | null, number>();

  constructor(
    private readonly intervalUs: number,
    private readonly sink: RebuildSink,
    /** A file that is sorted by market is in time order only within each subscription. */
    private readonly inTimeOrder: 'feed' | 'subscription' = 'feed',
  ) {
    this.samples = sampler(intervalUs, this.coins, (ticker, row) => sink.row(ticker, row));
  }

  take(message: BookMessage): void {
    if (message.kind === 'market') return this.applyFact(message.fact);
    if (message.kind === 'lost') return this.onFeedLost(message);
    if (message.kind === 'refused') return this.refuse(message);
    const clock = this.inTimeOrder === 'subscription' && 'sid' in message ? message.sid : null;
    if (message.us < (this.lastUs.get(clock) ?? 0)) return this.refuse(backwards(message));
    this.lastUs.set(clock, message.us);
    if (message.kind === 'coin') this.coins.see(message);
    else this.takePlaced(message);
  }

  /** For a quiet feed: makes rows of all intervals that ended before `us`, and reports how far spans have grown. */
  flush(us: number): void {
    const endedUs = this.slotOf(us) * this.intervalUs - 1;
    for (const market of this.markets.values()) {
      if (market.certainSinceUs === null) continue;
      this.samples.before(market, us);
      const untilUs = Math.min(this.certainUntilUs(market), endedUs);
      const hasNews = market.us > market.reportedUntilUs || untilUs - market.reportedUntilUs >= reportEveryUs;
      if (hasNews && untilUs > market.reportedUntilUs) this.reportSpan(market, market.certainSinceUs, { untilUs });
    }
  }

  /** Ends the feed and all spans. */
  finish(): void {
    this.endSpans(this.markets.keys(), reasons.ended);
  }

  private takePlaced(message: Extract<BookMessage, Placed>): void {
    if (message.kind === 'opened') {
      this.loseBooks(this.sequences.tickersOf(message.sid), reasons.opened);
      this.sequences.remove(message.sid);
    }
    const completeUntilUs = this.sequences.completeUntilUs(message.sid);
    if (!this.isNext(message)) return this.rejectMessage(message, reasons.repeated);
    if (message.kind === 'snapshot') this.load(message, completeUntilUs);
    else if (message.kind === 'change' || message.kind === 'level' || message.kind === 'edits') this.change(message);
    else if (message.kind === 'changed') this.applyChange(message.fact);
    else if (message.kind === 'top') this.sink.top?.(message, oursOf(this.markets.get(message.ticker)));
  }

  /** False for a repeated message. A jump or a new start makes all markets of the subscription uncertain. */
  private isNext(placed: Placed): boolean {
    const { sequences } = this;
    const place = sequences.place(placed);
    if (place === 'repeated') return false;
    if (place !== 'next')
      this.loseBooks(sequences.tickersOf(placed.sid), place === 'jump' ? reasons.jump : reasons.opened);
    sequences.recordMessage(placed);
    return true;
  }

  private load(message: BookSnapshot, completeUntilUs: number): void {
    const market = this.marketOf(message.ticker);
    if (!market) return this.rejectMessage(message, reasons.tooMany);
    if (market.certainSinceUs !== null) this.samples.before(market, message.us);
    if (!market.book.load(message.yes, message.no)) {
      this.rejectMessage(message, reasons.twice);
      return this.loseBooks([market.ticker], reasons.twice, completeUntilUs);
    }
    if (message.isAlone === true) return this.storeAlone(market, message);
    if (market.sid !== message.sid) this.loseBooks([market.ticker], reasons.opened);
    market.sid = message.sid;
    if (market.certainSinceUs === null) this.beginSpan(market, message.us);
    this.sequences.belongs(message.sid, market.ticker);
    this.counts.snapshots += 1;
    this.samples.after(market, message);
  }

  /** Every requested book is a row, whatever the interval. */
  private storeAlone(market: Market, message: BookSnapshot): void {
    this.counts.snapshots += 1;
    this.samples.after(market, message);
    this.samples.last(market);
  }

  private change(message: Change): void {
    const market = this.marketOf(message.ticker);
    if (!market) return this.rejectMessage(message, reasons.tooMany);
    if (market.certainSinceUs === null) return this.changeWithoutBook(market, message);
    this.samples.before(market, message.us);
    if (!isApplied(market.book, message)) {
      this.rejectMessage(message, reasons.negative);
      return this.loseBooks([market.ticker], reasons.negative, market.us);
    }
    this.counts.changes += changesIn(message);
    this.samples.after(market, message);
  }

  private changeWithoutBook(market: Market, message: Change): void {
    this.counts.uncertainChanges += changesIn(message);
    if (market.isStarted) return;
    this.rejectMessage(message, reasons.early);
    market.earlyUs ??= message.us;
  }

  private onFeedLost({ ticker, sid, reason }: FeedLost): void {
    if (ticker !== null) return this.loseBooks([ticker], reason);
    this.loseBooks(sid === null ? this.markets.keys() : this.sequences.tickersOf(sid), reason);
    this.sequences.remove(sid);
  }

  private refuse({ us, ticker, sid, seq, reason, text }: Refused): void {
    this.sink.refused(reason, text);
    const untilUs = seq === null ? undefined : this.sequences.completeUntilUs(sid);
    // Without a time of its own, it cannot show that a subscription began again.
    if (seq !== null && !this.isNext({ us: us ?? untilUs ?? 0, sid, seq })) return;
    if (ticker !== null) this.loseBooks([ticker], reason, untilUs);
    else if (seq !== null) this.loseBooks(this.sequences.tickersOf(sid), reason, untilUs);
  }

  private certainUntilUs({ sid, us }: Market): number {
    return Math.max(us, this.sequences.completeUntilUs(sid));
  }

  /** Ends the spans of markets because messages may be missing. After a market's close nothing can be missing. */
  private loseBooks(tickers: Iterable<string>, reason: string, untilUs?: number): void {
    for (const market of this.endSpans(tickers, reason, untilUs))
      if (market.reportedUntilUs < (market.closeUs ?? Infinity)) this.counts.gaps += 1;
  }

  private endSpans(tickers: Iterable<string>, endReason: string, untilUs?: number): readonly Market[] {
    const ended: Market[] = [];
    for (const ticker of tickers) {
      const market = this.markets.get(ticker);
      if (market === undefined || market.certainSinceUs === null) continue;
      const startUs = market.certainSinceUs;
      market.certainSinceUs = null;
      const endUs = untilUs ?? this.certainUntilUs(market);
      const slot = this.slotOf(endUs);
      const isOver = this.intervalUs === 1 || slot > this.slotOf(market.us);
      if (isOver) this.samples.last(market);
      else this.samples.discard(market);
      const lastUs = isOver ? endUs : slot * this.intervalUs - 1;
      this.reportSpan(market, startUs, { untilUs: Math.max(startUs, lastUs), endReason });
      ended.push(market);
    }
    return ended;
  }

  private beginSpan(market: Market, us: number): void {
    const { earlyUs } = market;
    if (!market.isStarted && earlyUs !== null) {
      this.counts.gaps += 1;
      this.reportSpan(market, earlyUs, { untilUs: earlyUs, endReason: reasons.early });
    }
    market.certainSinceUs = us;
    market.isStarted = true;
    this.reportSpan(market, us, { untilUs: us });
  }

  private reportSpan(
    market: Market,
    startUs: number,
    { untilUs, endReason }: { readonly untilUs: number; readonly endReason?: string },
  ): void {
    market.reportedUntilUs = untilUs;
    this.sink.span({ ticker: market.ticker, startUs, endUs: untilUs, endReason: endReason ?? null });
  }

  private slotOf(us: number): number {
    return Math.floor(us / this.intervalUs);
  }

  private applyFact(fact: CatalogueFact): void {
    const market = fact.kind === 'market' ? this.marketOf(fact.ticker) : null;
    if (market && fact.kind === 'market' && typeof fact.close_us === 'number') market.closeUs = fact.close_us;
    this.sink.fact(fact);
  }

  /** A channel can have the changes of all markets of a venue. Those without a book take no memory. */
  private applyChange(fact: CatalogueFact): void {
    const market = fact.kind === 'market' ? this.markets.get(fact.ticker) : undefined;
    if (market && fact.kind === 'market' && typeof fact.close_us === 'number') market.closeUs = fact.close_us;
    this.sink.changed?.(fact);
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
  ended: 'the recording ended',
  tooMany: `the recording has more than ${marketsMax} markets`,
} as const;

type Change = BookChange | BookLevel | BookEdits;

const changesIn = (message: Change): number => (message.kind === 'edits' ? message.edits.length : 1);

/** False if a size would become negative. The book is then of no more use. */
const isApplied = (book: Book, message: Change): boolean =>
  message.kind === 'edits' ? message.edits.every((edit) => book.edit(edit)) : book.edit(message);

const newMarket = (ticker: string): Market => ({
  ticker,
  book: newBook(),
  us: 0,
  venueUs: null,
  seq: null,
  isNew: false,
  coinPrice: null,
  coinAgeUs: null,
  sid: null,
  certainSinceUs: null,
  reportedUntilUs: 0,
  earlyUs: null,
  closeUs: null,
  isStarted: false,
});

const oursOf = (market: Market | undefined) =>
  market !== undefined && market.certainSinceUs !== null ? { bid: market.book.bid(), ask: market.book.ask() } : null;

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
