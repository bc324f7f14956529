import type { SpanBasis } from '@almanac/contracts';
import type { BookMarket } from './book-market.js';
import { lossReasons as reasons } from './loss-reasons.js';
import type { RebuildSink } from './rebuild-sink.js';
import type { Sampler } from './sampler.js';
import type { Subscriptions } from './subscriptions.js';

/** A quiet market's span is reported again after this time. */
const reportEveryUs = 15_000_000;

export interface BookSpansOptions {
  readonly intervalUs: number;
  readonly markets: ReadonlyMap<string, BookMarket>;
  readonly sequences: Subscriptions;
  readonly samples: Sampler;
  readonly onSpan: RebuildSink['span'];
  /** A time without a book, other than the one before a recording. */
  readonly onGap: () => void;
}

/** The spans of the books of a rebuild: the times in which they are certain. */
export class BookSpans {
  constructor(private readonly options: BookSpansOptions) {}

  begin(market: BookMarket, us: number, basis: SpanBasis): void {
    const { earlyUs } = market;
    if (!market.isStarted && earlyUs !== null) {
      this.options.onGap();
      this.report(market, earlyUs, { untilUs: earlyUs, endReason: reasons.early });
    }
    market.certainSinceUs = us;
    market.basis = basis;
    market.isStarted = true;
    market.paused = null;
    this.report(market, us, { untilUs: us });
  }

  /** Reports how far the span of a quiet market has grown. */
  grow(market: BookMarket, sinceUs: number, endedUs: number): void {
    const untilUs = Math.min(this.certainUntilUs(market), endedUs);
    const hasNews = market.us > market.reportedUntilUs || untilUs - market.reportedUntilUs >= reportEveryUs;
    if (hasNews && untilUs > market.reportedUntilUs) this.report(market, sinceUs, { untilUs });
  }

  /** Ends the spans of markets because messages may be missing. After a market's close nothing can be missing. */
  lose(tickers: Iterable<string>, reason: string, untilUs?: number): void {
    for (const market of this.end(tickers, reason, untilUs))
      if (market.reportedUntilUs < (market.closeUs ?? Infinity)) this.options.onGap();
  }

  /** Returns the markets that had a span. */
  end(tickers: Iterable<string>, endReason: string, untilUs?: number): readonly BookMarket[] {
    const { intervalUs, markets, samples } = this.options;
    const ended: BookMarket[] = [];
    for (const ticker of tickers) {
      const market = markets.get(ticker);
      if (market === undefined || market.certainSinceUs === null) continue;
      const startUs = market.certainSinceUs;
      market.certainSinceUs = null;
      const endUs = untilUs ?? this.certainUntilUs(market);
      const slot = this.slotOf(endUs);
      const isOver = intervalUs === 1 || slot > this.slotOf(market.us);
      if (isOver) samples.last(market);
      else samples.discard(market);
      const lastUs = isOver ? endUs : slot * intervalUs - 1;
      this.report(market, startUs, { untilUs: Math.max(startUs, lastUs), endReason });
      ended.push(market);
    }
    return ended;
  }

  slotOf(us: number): number {
    return Math.floor(us / this.options.intervalUs);
  }

  private certainUntilUs({ sid, us }: BookMarket): number {
    return Math.max(us, this.options.sequences.completeUntilUs(sid));
  }

  private report(
    market: BookMarket,
    startUs: number,
    { untilUs, endReason }: { readonly untilUs: number; readonly endReason?: string },
  ): void {
    const { ticker, basis } = market;
    market.reportedUntilUs = untilUs;
    this.options.onSpan({ ticker, startUs, endUs: untilUs, endReason: endReason ?? null, basis });
  }
}
