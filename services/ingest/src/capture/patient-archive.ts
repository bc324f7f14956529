import type { CatalogueFact } from '@almanac/contracts';
import type { Archive, BatchMarket, ObservationBatch, RecordOutcome, StoredGap } from '../archive.js';
import type { PatientLane } from './patient-lane.js';

export const awayReason = 'the archive took nothing for too long';

/** Markets of which the last row is remembered. */
const rememberedMax = 10_000;
const factBytes = 1_000;
const gapBytes = 200;

/**
 * An archive for a feed that does not wait: each call is answered at once, and delivered in its turn however long the
 * archive is away. Rows beyond what may wait are left out, and the time they are missing from becomes a gap: the recording
 * still has them.
 */
export class PatientArchive implements Archive {
  private readonly lastUs = new Map<string, number>();
  /** When the gap of each market without its rows began. */
  private readonly missing = new Map<string, number>();

  constructor(
    private readonly archive: Archive,
    private readonly lane: PatientLane,
    /** Told of what the archive will never take. */
    private readonly onRefused: (what: string, why: string) => void,
  ) {}

  recordCatalogue(facts: readonly CatalogueFact[]): Promise<readonly RecordOutcome[]> {
    this.lane.insist({
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
    // A copy: what is given is the beginning of a far larger buffer.
    const batch = { ...given, body: Uint8Array.from(given.body) };
    const isTaken = this.lane.put({
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
      this.lane.insist({
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
    const begun: StoredGap[] = [];
    for (const market of markets) {
      const { ticker } = market;
      if (this.missing.has(ticker)) continue;
      const startUs = startOf(market);
      this.missing.set(ticker, startUs);
      begun.push({ ticker, start_us: startUs, end_us: null, reason: awayReason });
    }
    void this.storeGaps(begun);
  }

  private taken({ markets }: ObservationBatch): void {
    const ended: StoredGap[] = [];
    if (this.lastUs.size > rememberedMax) this.lastUs.clear();
    for (const { ticker, min_us: minUs, max_us: maxUs } of markets) {
      const startUs = this.missing.get(ticker);
      if (startUs !== undefined) ended.push({ ticker, start_us: startUs, end_us: minUs, reason: awayReason });
      this.missing.delete(ticker);
      this.lastUs.set(ticker, maxUs);
    }
    void this.storeGaps(ended);
  }
}
