import type { BookMarket } from './book-market.js';
import type { BookSpans } from './book-spans.js';
import { lossReasons as reasons } from './loss-reasons.js';
import type { Sampler } from './sampler.js';
import type { Sequences } from './sequence-rules.js';
import type { Placed } from './subscriptions.js';

/** Books that a file leaves open for the next one. */
const waitingMax = 5_000;

interface WaitingBooksOptions {
  readonly markets: Map<string, BookMarket>;
  readonly spans: BookSpans;
  readonly samples: Sampler;
  readonly intervalUs: number;
}

/** The books that may go on in the next file. */
export class WaitingBooks {
  constructor(private readonly options: WaitingBooksOptions) {}

  /** Ends the span of a book at the end of its rows. */
  pause(market: BookMarket, untilUs?: number): void {
    const { samples, spans, intervalUs } = this.options;
    const { certainSinceUs: startUs, basis, sid, isNew, ticker } = market;
    if (startUs === null) return;
    // A recording within one interval has nothing else of this market.
    if (!market.hasRow) samples.last(market);
    spans.end([ticker], reasons.ended, untilUs);
    market.paused = { startUs, basis, sid };
    // Its interval may go on in the next file.
    market.isNew = isNew && intervalUs > 1;
  }

  /** A market without further rows in a file that is sorted by market. Its book waits, if it is certain. */
  release(market: BookMarket, untilUs: number): void {
    const { markets } = this.options;
    this.pause(market, untilUs);
    markets.delete(market.ticker);
    if (market.paused === null) return;
    markets.set(market.ticker, market);
    const [oldest] = markets.keys();
    if (markets.size > waitingMax && oldest !== undefined) markets.delete(oldest);
  }

  /** Books that are not complete after `untilUs` do not go on. Their spans end there with a reason. */
  lose(tickers: Iterable<string>, reason: string, untilUs = Infinity): void {
    for (const ticker of tickers) {
      const market = this.options.markets.get(ticker);
      const { paused, reportedUntilUs = 0 } = market ?? {};
      if (!market || !paused || reportedUntilUs > untilUs) continue;
      market.paused = null;
      market.certainSinceUs = paused.startUs;
      market.basis = paused.basis;
      this.options.spans.lose([ticker], reason, untilUs === Infinity ? reportedUntilUs : untilUs);
    }
  }

  /** Between two files: the markets that do not wait are dropped. */
  keep(): void {
    const { markets } = this.options;
    const waiting = Array.from(markets.values()).filter(({ paused }) => paused !== null);
    markets.clear();
    for (const market of waiting.slice(-waitingMax)) markets.set(market.ticker, market);
  }
}

/** Whether a change is the next one of a book that waits, as far as its number and time show. */
export const follows = (
  { paused, us, seq }: BookMarket,
  message: Placed,
  { rules, silenceUs }: { readonly rules: Sequences; readonly silenceUs: number },
): boolean => {
  if (paused === null || message.us < us || message.us - us > silenceUs) return false;
  if (seq === null || message.seq === null || message.seq === seq + 1) return true;
  const from = { us, sid: paused.sid, seq };
  return message.seq > seq && !(rules.ruleOf(message.sid) === 'whole' && rules.isLost(from, message));
};
