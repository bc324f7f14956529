import type { CatalogueFact, RecordedSpan } from '@almanac/contracts';
import type { Archive, BatchMarket, ObservationBatch, RecordOutcome } from '../archive.js';
import type { DeliveryQueue } from './delivery-queue.js';

export const outageReason = 'the archive took nothing for too long';

/** Markets whose last row time is remembered. */
const lastRowsMax = 10_000;
const factBytes = 1_000;
const spanBytes = 200;

/** A time whose rows were dropped. `endUs` is null until a later row is taken. */
interface Loss {
  readonly startUs: number;
  endUs: number | null;
}

/**
 * The archive of a feed that cannot wait. Each call returns at once and is delivered in order, however long the archive
 * is unavailable. Rows beyond the limit are dropped and their time is cut out of the spans. The recording still has them.
 */
export class BufferedArchive implements Archive {
  private readonly lastUs = new Map<string, number>();
  /** By market, in order of time. */
  private readonly losses = new Map<string, Loss[]>();

  constructor(
    private readonly archive: Archive,
    private readonly queue: DeliveryQueue,
    /** Called for what the archive will never accept. */
    private readonly onRefused: (what: string, why: string) => void,
  ) {}

  recordCatalogue(facts: readonly CatalogueFact[]): Promise<readonly RecordOutcome[]> {
    this.queue.putUnbounded({
      bytes: facts.length * factBytes,
      deliver: async () => {
        for (const outcome of await this.archive.recordCatalogue(facts))
          if (outcome.outcome === 'refused') this.onRefused('a fact', outcome.reason);
      },
      refused: (why) => this.onRefused(`${facts.length} facts`, why),
    });
    return Promise.resolve(facts.map(() => ({ outcome: 'unchanged' })));
  }

  storeObservations(given: ObservationBatch): Promise<void> {
    // Copied, because the body is a view of a far larger buffer.
    const batch = { ...given, body: Uint8Array.from(given.body) };
    const isTaken = this.queue.put({
      bytes: batch.body.length,
      deliver: () => this.archive.storeObservations(batch),
      refused: (why) => {
        this.onRefused(`${batch.rows} rows`, why);
        if (batch.columns !== 'trades') this.leftOut(batch.markets, ({ min_us: minUs }) => minUs - 1);
      },
    });
    if (batch.columns === 'trades') {
      // Spans are of observations. The recording has the trades, so an import of it stores them.
      if (!isTaken) this.onRefused(`${batch.rows} trades`, outageReason);
    } else if (isTaken) this.taken(batch);
    // Without an earlier row, nothing of the market is stored before this batch.
    else this.leftOut(batch.markets, ({ ticker }) => this.lastUs.get(ticker) ?? 0);
    return Promise.resolve();
  }

  storeSpans(spans: readonly RecordedSpan[]): Promise<void> {
    // Cut when it is delivered, because rows before it in the queue may be refused until then.
    const remaining = () => spans.flatMap((span) => cut(span, this.losses.get(span.ticker) ?? []));
    this.queue.putUnbounded({
      bytes: spans.length * spanBytes,
      deliver: () => this.archive.storeSpans(remaining()),
      refused: (why) => this.onRefused(`${spans.length} spans`, why),
    });
    return Promise.resolve();
  }

  settled(): Promise<void> {
    return this.archive.settled();
  }

  private leftOut(markets: readonly BatchMarket[], startOf: (market: BatchMarket) => number): void {
    for (const market of markets) {
      const losses = this.losses.get(market.ticker) ?? [];
      if (losses.at(-1)?.endUs === null) continue;
      this.losses.set(market.ticker, [...losses, { startUs: startOf(market), endUs: null }]);
    }
  }

  private taken({ markets }: ObservationBatch): void {
    if (this.lastUs.size > lastRowsMax) this.lastUs.clear();
    for (const { ticker, min_us: minUs, max_us: maxUs } of markets) {
      const loss = this.losses.get(ticker)?.at(-1);
      if (loss?.endUs === null) loss.endUs = minUs;
      this.lastUs.set(ticker, maxUs);
    }
  }
}

/** The parts of a span outside of losses. */
const cut = (span: RecordedSpan, losses: readonly Loss[]): readonly RecordedSpan[] => {
  const parts: RecordedSpan[] = [];
  let rest: RecordedSpan | null = span;
  for (const { startUs, endUs } of losses) {
    if (rest === null || startUs >= rest.end_us) break;
    if (endUs !== null && endUs <= rest.start_us) continue;
    if (startUs >= rest.start_us) parts.push({ ...rest, end_us: startUs, end_reason: outageReason });
    rest = endUs === null || endUs > rest.end_us ? null : { ...rest, start_us: endUs };
  }
  return rest === null ? parts : [...parts, rest];
};
