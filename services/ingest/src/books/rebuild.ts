import type { CatalogueFact } from '@almanac/contracts';
import { type BookMarket, marketIn, noteClose } from './book-market.js';
import { BookSpans } from './book-spans.js';
import type { BookRuns } from '../model/book-source.js';
import type { BookMessage, BookSnapshot, FeedLost, MarketEnded, Refused, VenueTop } from '../model/feed-message.js';
import { coinPrices } from './coin-prices.js';
import { clockStepMaxUs, lossReasons as reasons } from './loss-reasons.js';
import { changesIn, countChange, countSnapshot, noCounts } from './book-counts.js';
import { backwards, basisOf, type Change, isApplied, oursOf, placeIn } from './rebuild-rules.js';
import type { RebuildOptions } from './rebuild-options.js';
import type { RebuildSink } from './rebuild-sink.js';
import { type Sampler, sampler } from './sampler.js';
import { everySequence, placing, type Sequences } from './sequence-rules.js';
import { subscriptions, type Placed } from './subscriptions.js';
import { claimed, isContradicted } from './venue-claims.js';
import { takeFrames } from './take-frames.js';
import { takeRun } from './take-run.js';
import { follows, WaitingBooks } from './waiting-books.js';

/**
 * Rebuilds books from the messages of one feed. A book is certain from a snapshot until a message may be missing: a
 * jump in the sequence, a lost connection, a message that cannot be read or applied. Then it has no rows until its next
 * snapshot. The time in which it was certain is a span. It ends with the last message that proves it complete.
 *
 * With samples, the state at the end of a span is no row if its interval was not over: later messages of the interval
 * may be missing. The span then ends before that interval. So a gap that heals leaves the rows of a whole recording.
 */
export class Rebuild {
  counts = noCounts();
  private readonly markets = new Map<string, BookMarket>();
  private readonly coins = coinPrices();
  private readonly sequences = subscriptions();
  private readonly samples: Sampler;
  private readonly spans: BookSpans;
  private readonly waiting: WaitingBooks;
  /** The time of the last message of any kind: of the feed (null), or of each subscription. */
  private readonly lastUs = new Map<number | null, number>();
  private rules: Sequences;
  private placed: ReturnType<typeof placing>;
  private readonly inTimeOrder: 'feed' | 'subscription';
  private readonly silenceUs: number;

  constructor(
    private readonly intervalUs: number,
    private sink: RebuildSink,
    private readonly options: RebuildOptions = {},
  ) {
    const { inTimeOrder = 'feed', sequences = everySequence('whole'), silenceUs = Infinity } = options;
    this.inTimeOrder = inTimeOrder;
    this.rules = sequences;
    this.placed = placing(sequences);
    this.silenceUs = silenceUs;
    this.samples = sampler(intervalUs, this.coins, (ticker, row) => {
      const market = this.markets.get(ticker);
      if (market) market.hasRow = true;
      this.sink.row(ticker, row);
    });
    this.spans = new BookSpans({
      intervalUs,
      markets: this.markets,
      sequences: this.sequences,
      samples: this.samples,
      onSpan: (span) => this.sink.span(span),
      onGap: () => (this.counts.gaps += 1),
    });
    this.waiting = new WaitingBooks({ markets: this.markets, spans: this.spans, samples: this.samples, intervalUs });
  }

  take(message: BookMessage): void {
    if (message.kind === 'market') return this.applyFact(message.fact);
    if (message.kind === 'lost') return this.onFeedLost(message);
    if (message.kind === 'ended') return this.onMarketEnded(message);
    if (message.kind === 'refused') return this.refuse(message);
    const clock = this.inTimeOrder === 'subscription' && 'sid' in message ? message.sid : null;
    const lastUs = this.lastUs.get(clock) ?? 0;
    if (message.us < lastUs - clockStepMaxUs) return this.refuse(backwards(message));
    if (message.us < lastUs) this.sink.warned?.(reasons.clock);
    else this.lastUs.set(clock, message.us);
    const timed = message.us < lastUs ? { ...message, us: lastUs } : message;
    if (timed.kind === 'coin') return this.coins.see(timed);
    if (timed.us - lastUs > this.silenceUs && lastUs > 0) this.afterSilence(timed.us);
    this.takePlaced(this.placed(timed));
  }

  /** Takes rows of a run. Returns the first one whose messages `take` must take. */
  takeRun(run: BookRuns, from: number): number {
    if (this.sink.top) return from;
    const { markets, counts, sequences, samples, lastUs, rules, silenceUs } = this;
    const clock = this.inTimeOrder === 'subscription' ? run.sid : null;
    const state = { markets, counts, sequences, samples, lastUs, clock, rules, silenceUs };
    return run.kind === 'run' ? takeRun(run, from, state) : takeFrames(run, from, state);
  }

  /** For a quiet feed: makes rows of all intervals that ended before `us`, and reports how far spans have grown. */
  flush(us: number): void {
    const endedUs = this.spans.slotOf(us) * this.intervalUs - 1;
    for (const market of this.markets.values()) {
      if (market.certainSinceUs === null) continue;
      this.samples.before(market, us);
      this.spans.grow(market, market.certainSinceUs, endedUs);
    }
  }

  /** Ends the feed and all spans. */
  finish(): void {
    for (const market of this.markets.values()) {
      this.checkClaims(market);
      this.waiting.pause(market);
    }
  }

  private takePlaced(message: Extract<BookMessage, Placed>): void {
    if (message.kind === 'opened') {
      this.spans.lose(this.sequences.tickersOf(message.sid), reasons.opened);
      this.sequences.remove(message.sid);
    }
    const completeUntilUs = this.sequences.completeUntilUs(message.sid);
    if (!this.isNext(message)) return this.rejectMessage(message, reasons.repeated);
    if (message.kind === 'snapshot') this.load(message, completeUntilUs);
    else if (message.kind === 'change' || message.kind === 'level' || message.kind === 'edits') this.change(message);
    else if (message.kind === 'changed') this.applyChange(message.fact);
    else if (message.kind === 'top') this.compare(message);
  }

  private compare(message: VenueTop): void {
    const market = this.markets.get(message.ticker);
    this.sink.top?.(message, oursOf(market));
    if (message.checks !== undefined && market !== undefined && market.certainSinceUs !== null)
      market.claims = claimed(market.claims, message);
  }

  /** Ends the span of a market before the changes after which the venue states other best prices than ours. */
  private checkClaims(market: BookMarket): void {
    const { claims } = market;
    market.claims = null;
    if (claims === null || market.certainSinceUs === null || !isContradicted(claims, market.book)) return;
    this.samples.discard(market);
    this.spans.lose([market.ticker], reasons.otherTop, Math.max(market.certainSinceUs, market.beforeUs));
  }

  /** Before a message of another time of the venue changes the book. */
  private beforeMessage(market: BookMarket, message: { readonly venueUs: number | null }): void {
    if (market.claims !== null && market.claims.venueUs !== message.venueUs) this.checkClaims(market);
    if (market.venueUs !== message.venueUs || message.venueUs === null) market.beforeUs = market.us;
  }

  /** Nothing is left out: the books go on from here, but a loss cannot be excluded. */
  private afterSilence(us: number): void {
    for (const market of this.markets.values()) {
      if (market.certainSinceUs === null || this.rules.ruleOf(market.sid) === 'whole') continue;
      if (market.closeUs !== null && market.closeUs <= market.us) continue;
      this.checkClaims(market);
      this.samples.last(market);
      if (this.spans.end([market.ticker], reasons.silence).length > 0) this.spans.begin(market, us, 'unknown');
    }
  }

  /** False for a repeated message. A jump or a new start makes all markets of the subscription uncertain. */
  private isNext(placed: Placed): boolean {
    const { sequences } = this;
    const place = placeIn(sequences, this.rules, placed);
    if (place === 'repeated') return false;
    if (place !== 'next')
      this.spans.lose(sequences.tickersOf(placed.sid), place === 'jump' ? reasons.jump : reasons.opened);
    sequences.recordMessage(placed);
    return true;
  }

  private load(message: BookSnapshot, completeUntilUs: number): void {
    const market = marketIn(this.markets, message.ticker);
    if (!market) return this.rejectMessage(message, reasons.tooMany);
    if (this.options.isCut === true && market.certainSinceUs === null) this.resume(market, message);
    this.beforeMessage(market, message);
    const isShown = this.isConfirmed(market, message);
    if (market.certainSinceUs !== null) this.samples.before(market, message.us);
    if (!market.book.load(message.yes, message.no)) {
      this.rejectMessage(message, reasons.twice);
      return this.spans.lose([market.ticker], reasons.twice, completeUntilUs);
    }
    if (message.isAlone === true) return this.storeAlone(market, message);
    if (market.sid !== message.sid) this.spans.lose([market.ticker], reasons.opened);
    market.sid = message.sid;
    if (market.certainSinceUs === null) this.spans.begin(market, message.us, basisOf(this.rules, message));
    else if (isShown) market.basis = 'snapshot';
    this.sequences.belongs(message.sid, market.ticker);
    countSnapshot(this.counts, message);
    this.samples.after(market, message.us, message.venueUs, message.seq);
  }

  /**
   * Whether a whole book shows that nothing was missed. With shared numbers, another book shows a loss. Without numbers
   * it may just be ahead of its changes.
   */
  private isConfirmed(market: BookMarket, message: BookSnapshot): boolean {
    if (market.certainSinceUs === null || message.isAlone === true) return false;
    const rule = message.seq === null ? 'none' : this.rules.ruleOf(market.sid);
    if (rule === 'whole' || rule === 'market') return false;
    if (market.book.equals(message.yes, message.no)) return true;
    const isOver = market.closeUs !== null && market.closeUs <= message.us;
    if (rule === 'shared' && !isOver && market.us < message.us)
      this.spans.lose([market.ticker], reasons.otherBook, market.us);
    return false;
  }

  /** Every requested book is a row, whatever the interval. */
  private storeAlone(market: BookMarket, message: BookSnapshot): void {
    countSnapshot(this.counts, message);
    this.samples.after(market, message.us, message.venueUs, message.seq);
    this.samples.last(market);
  }

  private change(message: Change): void {
    const market = marketIn(this.markets, message.ticker);
    if (!market) return this.rejectMessage(message, reasons.tooMany);
    this.beforeMessage(market, message);
    if (market.certainSinceUs === null && !this.resume(market, message)) return this.changeWithoutBook(market, message);
    this.samples.before(market, message.us);
    if (!isApplied(market.book, message)) {
      this.rejectMessage(message, reasons.negative);
      return this.spans.lose([market.ticker], reasons.negative, market.us);
    }
    countChange(this.counts, market, message);
    this.samples.after(market, message.us, message.venueUs, message.seq);
  }

  /**
   * Between two files of a recording. Their subscriptions and clocks are not compared, and a book goes on in the next file
   * if its first change follows.
   */
  nextFile(sink: RebuildSink, sequences: Sequences): void {
    this.sink = sink;
    this.counts = noCounts();
    this.rules = sequences;
    this.placed = placing(sequences);
    this.sequences.remove(null);
    this.lastUs.clear();
    this.waiting.keep();
  }

  private resume(market: BookMarket, message: Placed): boolean {
    const { paused } = market;
    const { rules, silenceUs } = this;
    const isNext = follows(market, message, { rules, silenceUs });
    market.paused = null;
    if (paused === null || !isNext) return false;
    this.spans.begin(market, paused.startUs, paused.basis);
    market.sid = message.sid;
    this.sequences.belongs(message.sid, market.ticker);
    return true;
  }

  private changeWithoutBook(market: BookMarket, message: Change): void {
    this.counts.uncertainChanges += changesIn(message);
    if (market.isStarted || (this.options.isCut === true && market.earlyUs !== null)) return;
    this.rejectMessage(message, reasons.early);
    market.earlyUs ??= message.us;
  }

  private onFeedLost({ ticker, sid, reason, untilUs }: FeedLost): void {
    const all = sid === null ? Array.from(this.markets.keys()) : this.sequences.tickersOf(sid);
    const tickers = ticker === null ? all : [ticker];
    if (sid === null) this.waiting.lose(tickers, reason, untilUs);
    this.spans.lose(tickers, reason, untilUs);
    if (ticker === null) this.sequences.remove(sid);
  }

  private onMarketEnded({ ticker, us }: MarketEnded): void {
    const market = this.markets.get(ticker);
    if (market === undefined) return;
    this.checkClaims(market);
    this.waiting.release(market, us);
    this.sequences.remove(market.sid);
    this.lastUs.delete(market.sid);
  }

  private refuse({ us, ticker, sid, seq, reason, text, rows = 1 }: Refused): void {
    this.sink.refused(reason, text, rows);
    const untilUs = seq === null ? undefined : this.sequences.completeUntilUs(sid);
    // Without a time of its own, it cannot show that a subscription began again.
    if (seq !== null && !this.isNext({ us: us ?? untilUs ?? 0, sid, seq })) return;
    if (ticker !== null) this.spans.lose([ticker], reason, untilUs);
    else if (seq !== null) this.spans.lose(this.sequences.tickersOf(sid), reason, untilUs);
  }

  private applyFact(fact: CatalogueFact): void {
    noteClose(fact.kind === 'market' ? marketIn(this.markets, fact.ticker) : null, fact);
    this.sink.fact(fact);
  }

  /** A channel can have the changes of all markets of a venue. Those without a book take no memory. */
  private applyChange(fact: CatalogueFact): void {
    noteClose(fact.kind === 'market' ? this.markets.get(fact.ticker) : null, fact);
    this.sink.changed?.(fact);
  }

  private rejectMessage(message: BookMessage, reason: string): void {
    this.sink.refused(reason, JSON.stringify(message));
  }
}
