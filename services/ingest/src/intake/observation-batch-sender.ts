import type { Archive, ObservationBatch } from '../archive.js';

/** Concurrent batches: enough to keep the store busy while the next one is read (3 to 6 measured the same). */
const inFlightUsual: InFlightMax = { batches: 4, bytes: Infinity };

interface InFlightMax {
  readonly batches: number;
  readonly bytes: number;
}

export interface ObservationBatchSender {
  /** Sends after `before`. Resolves when in flight, later if too many are. Rejects after any batch failed. */
  send(batch: ObservationBatch, before: Promise<void>): Promise<void>;
  /** Resolves when every batch is stored. Rejects if one failed. */
  drained(): Promise<void>;
  readonly storedRows: () => number;
}

interface InFlightBatch {
  readonly spans: ReadonlyMap<string, { readonly min_us: number; readonly max_us: number }>;
  readonly bytes: number;
  readonly stored: Promise<void>;
}

/**
 * Sends batches concurrently. For one market and microsecond the row stored last wins, so a batch waits for every
 * earlier one that overlaps it in market and time. In a file in time order none does.
 */
export const observationBatchSender = (
  archive: Pick<Archive, 'storeObservations'>,
  inFlightMax = inFlightUsual,
): ObservationBatchSender => {
  const inFlight = new Set<InFlightBatch>();
  let failure: { readonly cause: unknown } | null = null;
  let stored = 0;

  const store = async (batch: ObservationBatch, before: Promise<void>): Promise<void> => {
    try {
      await before;
      await archive.storeObservations(batch);
      stored += batch.rows;
    } catch (cause) {
      failure ??= { cause };
    }
  };
  const check = (): void => {
    if (failure) throw failure.cause;
  };

  return {
    send: async (batch, before) => {
      for (
        let blocked = blockingBatches(inFlight, batch, inFlightMax);
        blocked.length > 0;
        blocked = blockingBatches(inFlight, batch, inFlightMax)
      )
        await Promise.race(blocked.map((batchInFlight) => batchInFlight.stored));
      check();
      const spans = new Map(batch.markets.map((market) => [market.ticker, market]));
      const batchInFlight: InFlightBatch = {
        spans,
        bytes: batch.body.length,
        stored: store(batch, before).then(() => void inFlight.delete(batchInFlight)),
      };
      inFlight.add(batchInFlight);
    },
    drained: async () => {
      await Promise.all(Array.from(inFlight, (batchInFlight) => batchInFlight.stored));
      check();
    },
    storedRows: () => stored,
  };
};

const blockingBatches = (
  inFlight: ReadonlySet<InFlightBatch>,
  batch: ObservationBatch,
  inFlightMax: InFlightMax,
): readonly InFlightBatch[] => {
  const all = [...inFlight];
  const overlapping = all.filter(({ spans }) =>
    batch.markets.some(({ ticker, min_us, max_us }) => {
      const span = spans.get(ticker);
      return span !== undefined && span.min_us <= max_us && min_us <= span.max_us;
    }),
  );
  const bytes = all.reduce((sum, { bytes: own }) => sum + own, 0);
  return overlapping.length > 0 || (all.length < inFlightMax.batches && bytes < inFlightMax.bytes) ? overlapping : all;
};
