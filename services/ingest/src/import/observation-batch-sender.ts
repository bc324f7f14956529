import type { Archive, ObservationBatch } from '../archive.js';

/** Batches on their way at once: enough to keep the store busy while the next one is read (3 to 6 measured alike). */
const inFlightMax = 4;

export interface ObservationBatchSender {
  /**
   * Resolves when the batch is on its way, which is later when enough others are: that holds the reading back. It
   * leaves after `before`. Rejects once any batch was not taken.
   */
  send(batch: ObservationBatch, before: Promise<void>): Promise<void>;
  /** Resolves when everything that was sent is stored; rejects when something was not. */
  drained(): Promise<void>;
  readonly storedRows: () => number;
}

interface InFlightBatch {
  readonly spans: ReadonlyMap<string, { readonly min_us: number; readonly max_us: number }>;
  readonly stored: Promise<void>;
}

/**
 * Sends batches side by side. For one market and microsecond the row that is stored last wins, so a batch waits for
 * every earlier one that covers some of the same time of the same market; in a file in order of time none does.
 */
export const observationBatchSender = (archive: Archive): ObservationBatchSender => {
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
        let blocked = overlappingBatches(inFlight, batch);
        blocked.length > 0;
        blocked = overlappingBatches(inFlight, batch)
      )
        await Promise.race(blocked.map((batchInFlight) => batchInFlight.stored));
      check();
      const spans = new Map(batch.markets.map((market) => [market.ticker, market]));
      const batchInFlight: InFlightBatch = {
        spans,
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

const overlappingBatches = (
  inFlight: ReadonlySet<InFlightBatch>,
  batch: ObservationBatch,
): readonly InFlightBatch[] => {
  const all = [...inFlight];
  const overlapping = all.filter(({ spans }) =>
    batch.markets.some(({ ticker, min_us, max_us }) => {
      const span = spans.get(ticker);
      return span !== undefined && span.min_us <= max_us && min_us <= span.max_us;
    }),
  );
  return overlapping.length > 0 || all.length < inFlightMax ? overlapping : all;
};
