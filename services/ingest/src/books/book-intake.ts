import type { CatalogueFact, RecordedSpan, SpanClock } from '@almanac/contracts';
import { type Staging, storeAllSpans } from '../archive.js';
import { type FileContext, noteWindow, reasons, refuse, refusalReason } from '../intake/file-context.js';
import { type ObservedMarkets, observedMarkets } from '../intake/observed-markets.js';
import { count, type RebuildCounts } from '../intake/report.js';
import { type SeenMarket, seePrice } from '../intake/seen-markets.js';
import { areNameable } from '../intake/ticker-of-row.js';
import type { MarketFact } from '../model/market-fact.js';
import { type TradeIntake, tradeIntake } from '../trades/trade-intake.js';
import type { BookRow } from '../model/book-row.js';
import { besides } from '../model/book-run.js';
import type { BookRuns } from '../model/book-source.js';
import type { BookMessage, MarketTrade } from '../model/feed-message.js';
import { type BookTarget, bookTarget } from './book-target.js';
import { Rebuild } from './rebuild.js';
import type { RebuildOptions } from './rebuild-options.js';
import { everySequence } from './sequence-rules.js';
import type { BookSpan, RebuildSink } from './rebuild-sink.js';

export interface IntakeOptions extends RebuildOptions {
  /** Its report counts the messages. Refused ones go to its file, numbered as records. */
  readonly context: FileContext;
  /** The sampling interval. `everyChangeUs` stores every change. */
  readonly intervalUs: number;
  /** The fact that a ticker alone gives about its market, used until the feed describes it. */
  readonly factOf: (ticker: string) => MarketFact;
  readonly onTop?: RebuildSink['top'];
  /** The books of the file before, which this one may continue. */
  readonly after?: Rebuild | null;
  /** Whose clock dates the messages. Default: that of the receipt. */
  readonly clock?: () => SpanClock;
  /** Readers see the rows when the file ends. Default: as soon as each batch is stored. */
  readonly staging?: Staging | null;
  /** Called when a span begins, grows and ends, before the archive gets it. */
  readonly onSpan?: (span: BookSpan) => void;
}

/**
 * Takes book messages into the archive, from files and live captures. It rebuilds books and sends rows in batches,
 * spans, and facts. A market is sent before its rows, and its rows before their span. Rejects after the archive failed to store something.
 */
export class BookIntake {
  /** It can continue in the next file. */
  readonly rebuild: Rebuild;
  private readonly rows: BookTarget;
  private readonly markets: ObservedMarkets;
  private readonly spans = new Map<string, RecordedSpan>();
  private readonly trades: TradeIntake;
  /** The number of the message that is taken, in the numbering of the report. */
  private line = 0;
  private messages = 0;
  /** The run that is taken. */
  private run: BookRuns | null = null;

  constructor(private readonly options: IntakeOptions) {
    const { context, intervalUs, onTop } = options;
    this.rows = bookTarget(context, options.staging ?? null);
    this.markets = observedMarkets(context);
    this.trades = tradeIntake(context, this.markets);
    const sink: RebuildSink = {
      row: (ticker, row) => this.addRow(ticker, row),
      span: (span) => this.addSpan(span),
      fact: (fact) => this.addFact(fact),
      changed: (fact) => this.addChange(fact),
      refused: (reason, text, rows) => this.refuse(reason, text, rows),
      warned: (reason) => count(context.report.warnings, reason),
      ...(onTop && { top: onTop }),
    };
    if (options.after) options.after.nextFile(sink, options.sequences ?? everySequence('whole'));
    this.rebuild = options.after ?? new Rebuild(intervalUs, sink, options);
  }

  get counts(): Readonly<RebuildCounts> {
    return this.rebuild.counts;
  }

  /** Takes a message. Returns null, or a promise to await before the next message. */
  take(message: BookMessage): Promise<void> | null {
    this.noteMessage(message);
    this.rebuild.take(message);
    if (message.kind === 'trade') this.takeTrade(message);
    return this.sent();
  }

  /** Takes rows of a run. Returns the first one whose messages must be taken one by one, after the promise if there is one. */
  takeRun(
    run: BookRuns,
    from: number,
  ): { readonly row: number; readonly tops: number; readonly busy: Promise<void> | null } {
    this.run = run;
    const row = this.rebuild.takeRun(run, from);
    this.run = null;
    if (run.kind === 'frames' && row > from) this.line = lineIn(run, row - 1);
    const tops = topsIn(run, from, row);
    this.messages += row - from + tops;
    return { row, tops, busy: this.sent() };
  }

  private noteMessage(message: BookMessage): void {
    this.messages += 1;
    this.line = ('line' in message ? message.line : undefined) ?? this.messages;
  }

  /** Null, or a promise to await before more is taken. */
  private sent(): Promise<void> | null {
    const { rows, spans, trades, markets } = this;
    const isFull = spans.size >= rows.spansMax || rows.isFull() || markets.isFull();
    return isFull || rows.isReady() || trades.isFull() ? this.send() : null;
  }

  /** For a quiet feed: makes rows of the intervals that ended before `us`, and sends everything. */
  async flush(us: number): Promise<void> {
    this.rebuild.flush(us);
    this.rows.cut();
    await this.send();
    await this.trades.send();
    await this.sendSpans();
  }

  /** Ends the feed and sends everything. Resolves when all is stored. */
  async finish(): Promise<void> {
    this.rebuild.finish();
    this.rows.cut();
    try {
      await this.send();
      await this.trades.send();
    } finally {
      // After a failure, batches in flight still arrive and count.
      await this.rows.settle();
      await this.trades.drained();
    }
    await this.sendSpans();
    await this.markets.close();
  }

  private async send(): Promise<void> {
    const { rows, spans } = this;
    const isFull = spans.size >= rows.spansMax || rows.isFull();
    if (isFull) rows.cut();
    await rows.send();
    if (this.trades.isFull() || this.markets.isFull()) await this.trades.send();
    if (isFull) {
      await rows.settle();
      await this.sendSpans();
    }
    if (this.markets.isFull()) await this.markets.close();
  }

  private async sendSpans(): Promise<void> {
    const { archive, catalogue } = this.options.context;
    const all = Array.from(this.spans.values());
    this.spans.clear();
    if (all.length === 0) return;
    await catalogue.flush();
    await this.rows.settle();
    await storeAllSpans(archive, all);
  }

  private takeTrade(message: MarketTrade): void {
    const { ticker } = message.trade;
    const { line } = this;
    const refusal = this.trades.take(message, { factOf: () => this.options.factOf(ticker), line });
    if (refusal !== null) this.refuse(refusal, JSON.stringify(message.trade));
  }

  private addRow(ticker: string, row: BookRow): void {
    const { report } = this.options.context;
    const market = this.markets.get(ticker) ?? this.open(this.options.factOf(ticker));
    if (!market) return this.refuse(reasons.longTicker, ticker);
    report.observationsRead += 1;
    if (row.coinPrice !== null) seePrice(market, row.coinPrice, row.us - (row.coinAgeUs ?? 0));
    this.rows.add(market.batched, row);
  }

  private open(fact: MarketFact): SeenMarket | null {
    const { context } = this.options;
    if (!areNameable(fact)) return null;
    noteWindow(context, fact);
    return this.markets.open({ ...fact, capture: 'l2' }, { repeated: 0, line: this.lineNow() });
  }

  private lineNow(): number {
    return this.run === null ? this.line : lineIn(this.run, this.run.at);
  }

  private addSpan(span: BookSpan): void {
    const { ticker, startUs: start_us, endUs: end_us, endReason: end_reason, basis } = span;
    const clock = this.options.clock?.() ?? 'receipt';
    this.options.onSpan?.(span);
    // A ticker that is not a valid subject has no rows either.
    if (!areNameable({ kind: 'market', ticker })) return;
    const times = { start_us, end_us, tolerance_us: 0, sample_us: this.options.intervalUs };
    this.spans.set(`${ticker} ${start_us}`, { ticker, layer: 'l2', ...times, end_reason, basis, clock });
  }

  private addFact(fact: CatalogueFact): void {
    if (fact.kind === 'market' && this.markets.get(fact.ticker) === undefined) {
      if (!this.open(fact)) this.refuse(reasons.longTicker, fact.ticker);
      return;
    }
    this.addChange(fact);
  }

  private addChange(fact: CatalogueFact): void {
    this.options.context.report.facts += 1;
    const pendingFact = this.options.context.catalogue.add(fact, (outcome) => {
      if (outcome.outcome === 'refused') this.refuse(refusalReason(outcome), JSON.stringify(fact));
    });
    // The next flush throws the failure again, and every later send awaits it.
    pendingFact.catch(() => undefined);
  }

  private refuse(reason: string, text: string, rows = 1): void {
    const { context } = this.options;
    refuse(context, { line: this.lineNow(), cells: [text], part: '' }, reason);
    if (rows === 1) return;
    count(context.report.refused, reason, rows - 1);
    context.report.refusals += rows - 1;
  }
}

const lineIn = (run: BookRuns, row: number): number =>
  run.kind === 'run' ? run.line + row : (run.columns.line[run.first + row] ?? 0);

const topsIn = (run: BookRuns, from: number, to: number): number => {
  if (run.kind === 'run' ? run.changes === null : run.sid !== null) return 0;
  const [beside, first] = run.kind === 'run' ? [run.changes?.beside, 0] : [run.columns.beside, run.first];
  let tops = 0;
  for (let row = from; row < to; row += 1) if (beside?.[first + row] !== besides.nothing) tops += 1;
  return tops;
};
