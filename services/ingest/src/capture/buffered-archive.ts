import type { CatalogueFact } from '@almanac/contracts';
import type { Archive, BatchMarket, ObservationBatch, RecordOutcome, StoredGap } from '../archive.js';
import type { DeliveryQueue } from './delivery-queue.js';

export const outageReason = 'the archive took nothing for too long';

/** Markets whose last row time is remembered. */
const lastRowsMax = 10_000;
const factBytes = 1_000;
const gapBytes = 200;

/**
 * The archive of a feed that cannot wait. Each call returns at once and is delivered in order, however long the archive
 * is unavailable. Rows beyond the limit are dropped and their time becomes a gap. The recording still has them.
 */
export class BufferedArchive implements Archive {
  private readonly lastUs = new Map<string, number>();
  /** Start of the gap of each market whose rows were dropped. */
  private readonly openGaps = new Map<string, number>();

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
        this.leftOut(batch.markets, ({ min_us: minUs }) => minUs);
      },
    });
    if (isTaken) this.taken(batch);
    else this.leftOut(batch.markets, ({ ticker, min_us: minUs }) => this.lastUs.get(ticker) ?? minUs);
    return Promise.resolve();
  }

  storeGaps(gaps: readonly StoredGap[]): Promise<void> {
    if (gaps.length > 0)
      this.queue.putUnbounded({
        bytes: gaps.length * gapBytes,
        deliver: () => this.archive.storeGaps(gaps),
        refused: (why) => this.onRefused(`${gaps.length} gaps`, why),
      });
    return Promise.resolve();
  }

  settled(): Promise<void> {
    return this.archive.settled();
  }

  private leftOut(markets: readonly BatchMarket[], startOf: (market: BatchMarket) => number): void {
    const startedGaps: StoredGap[] = [];
    for (const market of markets) {
      const { ticker } = market;
      if (this.openGaps.has(ticker)) continue;
      const startUs = startOf(market);
      this.openGaps.set(ticker, startUs);
      startedGaps.push({ ticker, start_us: startUs, end_us: null, reason: outageReason });
    }
    void this.storeGaps(startedGaps);
  }

  private taken({ markets }: ObservationBatch): void {
    const ended: StoredGap[] = [];
    if (this.lastUs.size > lastRowsMax) this.lastUs.clear();
    for (const { ticker, min_us: minUs, max_us: maxUs } of markets) {
      const startUs = this.openGaps.get(ticker);
      if (startUs !== undefined) ended.push({ ticker, start_us: startUs, end_us: minUs, reason: outageReason });
      this.openGaps.delete(ticker);
      this.lastUs.set(ticker, maxUs);
    }
    void this.storeGaps(ended);
  }
}
