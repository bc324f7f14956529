import type { ObservationBatch } from '../archive.js';
import type { MarketFact } from '../model/market-fact.js';
import type { RowBlock } from '../sources/source.js';
import type { BlockConsumer, FileContext } from './file-context.js';
import type { BatchedMarket } from './observation-batch.js';
import { observationBatchSender } from './observation-batch-sender.js';
import type { ObservedMarkets } from './observed-markets.js';
import { areNameable } from './ticker-of-row.js';

/** Where a record comes from. */
export interface RecordSource {
  readonly factOf: () => MarketFact;
  readonly line: number;
}

/** Takes records about markets, such as trades and candles, into the archive. */
export interface RecordIntake<Read> {
  /** Takes a record, or returns why it is refused. `isFull` says when to `send`. */
  take(read: Read, source: RecordSource): string | null;
  isFull(): boolean;
  /** Sends what was taken. A market is sent before its records. */
  send(): Promise<void>;
  /** Resolves when everything sent is stored. Rejects if something was not. */
  drained(): Promise<void>;
}

interface Batches<Row> {
  readonly builder: {
    add(market: BatchedMarket, row: Row): boolean;
    take(): ObservationBatch | null;
  };
  readonly onStored: (rows: number) => void;
}

/** `takerOf` checks a record, and adds it. */
export const recordIntake = <Read, Row>(
  { archive, catalogue }: FileContext,
  { builder, onStored }: Batches<Row>,
  takerOf: (add: (market: BatchedMarket, row: Row) => void) => RecordIntake<Read>['take'],
): RecordIntake<Read> => {
  const sender = observationBatchSender(archive);
  let isFull = false;
  const noteStored = (): void => onStored(sender.storedRows());
  return {
    take: takerOf((market, row) => {
      if (builder.add(market, row)) isFull = true;
    }),
    isFull: () => isFull,
    send: async () => {
      const batch = builder.take();
      isFull = false;
      if (batch) await sender.send(batch, catalogue.flush());
      noteStored();
    },
    drained: () => sender.drained().finally(noteStored),
  };
};

/** The market of a record, which opens with its first one. Null if its names are too long. */
export const openMarket = (
  markets: ObservedMarkets,
  ticker: string,
  { factOf, line }: RecordSource,
  onOpen?: (fact: MarketFact) => void,
): BatchedMarket | null => {
  const known = markets.get(ticker);
  if (known) return known.batched;
  const fact = factOf();
  if (!areNameable(fact)) return null;
  onOpen?.(fact);
  return markets.open(fact, { repeated: 0, line }).batched;
};

type Sending = Omit<RecordIntake<never>, 'take'>;

export const sendIfFull = async (intake: Sending, markets: ObservedMarkets): Promise<void> => {
  if (intake.isFull() || markets.isFull()) await intake.send();
  if (markets.isFull()) await markets.close();
};

/** The end of a file, which may have failed. `takeRest`: records that waited for it. */
export const finishRecords = async (
  intake: Sending,
  markets: ObservedMarkets,
  takeRest?: () => Promise<void>,
): Promise<void> => {
  try {
    await takeRest?.();
    await intake.send();
  } finally {
    await intake.drained();
  }
  await markets.close();
};

/** The rows of a file, each with a record. */
export const recordRows = (
  intake: Sending,
  markets: ObservedMarkets,
  takeRow: (cells: readonly string[], line: number) => void,
): BlockConsumer<RowBlock> => ({
  consume: async (block) => {
    for (let index = 0; index < block.rows.length; index += 1) {
      takeRow(block.rows[index] ?? [], block.lineOf(index));
      await sendIfFull(intake, markets);
    }
  },
  finish: () => finishRecords(intake, markets),
});
