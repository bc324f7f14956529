import type { BatchMarket, RowKeys } from '../archive.js';
import type { NativeBlock } from './native-block.js';
import type { BatchedMarket } from './observation-batch.js';

interface Span {
  readonly index: number;
  readonly series: number;
  rows: number;
  min: number;
  max: number;
}

/** The markets and the keys of the rows of a batch by column. */
export class BatchedRows {
  count = 0;
  /** Bytes of the distinct texts. */
  textsBytes = 0;
  private readonly markets: Uint16Array;
  private readonly series: Uint16Array;
  private readonly keyUs: Float64Array;
  private readonly keyValues: Float64Array;
  private spans = new Map<BatchedMarket, Span>();
  private seriesIn = new Map<string, number>();
  private lastMarket: BatchedMarket | null = null;
  private lastSpan: Span | null = null;

  constructor(capacity: number) {
    this.markets = new Uint16Array(capacity);
    this.series = new Uint16Array(capacity);
    this.keyUs = new Float64Array(capacity);
    this.keyValues = new Float64Array(capacity);
  }

  /** `key` identifies the row in its market: its time, or a digest of its id. */
  add(market: BatchedMarket, us: number, { key, values }: { readonly key: number; readonly values: number }): void {
    const { count } = this;
    const span = this.spanOf(market);
    span.rows += 1;
    if (us < span.min) span.min = us;
    if (us > span.max) span.max = us;
    this.markets[count] = span.index;
    this.series[count] = span.series;
    this.keyUs[count] = key;
    this.keyValues[count] = values;
    this.count = count + 1;
  }

  writeTo(block: NativeBlock): void {
    block.texts(
      'ticker',
      Array.from(this.spans.keys(), ({ ticker }) => ticker),
      this.markets,
    );
    block.texts('series', Array.from(this.seriesIn.keys()), this.series);
  }

  /** What a batch says about its rows. Then it is empty. */
  take(): { readonly rows: number; readonly markets: readonly BatchMarket[]; readonly keys: RowKeys } {
    const { count: rows, spans } = this;
    const markets = Array.from(spans, ([{ ticker }, span]) => ({
      ticker,
      rows: span.rows,
      min_us: span.min,
      max_us: span.max,
    }));
    const keys = {
      market: this.markets.slice(0, rows),
      us: this.keyUs.slice(0, rows),
      values: this.keyValues.slice(0, rows),
    };
    this.spans = new Map();
    this.seriesIn = new Map();
    [this.count, this.textsBytes, this.lastMarket, this.lastSpan] = [0, 0, null, null];
    return { rows, markets, keys };
  }

  private spanOf(market: BatchedMarket): Span {
    if (market === this.lastMarket && this.lastSpan) return this.lastSpan;
    let span = this.spans.get(market);
    if (!span) {
      const series = this.seriesIn.get(market.series) ?? this.seriesIn.size;
      this.seriesIn.set(market.series, series);
      span = { index: this.spans.size, series, rows: 0, min: Infinity, max: -Infinity };
      this.spans.set(market, span);
      this.textsBytes += market.rowPrefixBytes + 4;
    }
    this.lastMarket = market;
    this.lastSpan = span;
    return span;
  }
}
